"""Run a mission in a terminal.

    ibid ingest examples/documents
    pip install 'ibid-mcp[llm]'
    OPENAI_BASE_URL=http://localhost:11434/v1 OPENAI_API_KEY=none OPENAI_MODEL=qwen3 \\
        python -m examples.agent "What are the main risks in Project Titan from Q3 reports?"
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys

from . import Event, EventType, SessionUnusable, create_rag_agent
from .asking import ask_on_terminal


async def main(mission: str, session_id: str, work_dir: str, said: str) -> int:
    """0 for an answer, 1 where there is none."""
    agent = create_rag_agent(
        "Ibid", "answers from the user's documents", mission, work_dir,
        ask=ask_on_terminal if sys.stdin.isatty() else None,
    )  # fmt: skip
    ended = EventType.ERROR
    try:
        async for event in agent.execute(said, session_id):
            show(event)
            ended = event.type
    except SessionUnusable as error:
        print(f"Error: {error}", file=sys.stderr)
    return 0 if ended is EventType.COMPLETE else 1


def show(event: Event) -> None:
    """The answer to standard output, the way to it beside."""
    data = event.data
    if event.type is EventType.COMPLETE:
        print(data["answer"])
    elif event.type is EventType.THOUGHT:
        steps = [f"{n}. {one.get('description')}" for n, one in enumerate(data.get("todolist", {}).get("steps", ()), 1)]
        print("\n".join([data["text"], *steps]).strip(), file=sys.stderr)
    elif event.type is EventType.TOOL_RESULT:
        print(f"  {data['tool']}: {'ok' if data['success'] else data['result'].get('error')}", file=sys.stderr)
    elif event.type is EventType.ASK_USER and data["waits"]:
        print(data["question"], *data["options"], "(answer with --say)", sep="\n", file=sys.stderr)
    elif event.type is EventType.ERROR:
        print(f"Error: {data['message']}", file=sys.stderr)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description="Answer a mission from documents.")
    arguments.add_argument("mission")
    arguments.add_argument("--session", default="session-1", help="taken up again under the same name")
    arguments.add_argument("--work-dir", default="rag_sessions")
    arguments.add_argument("--say", default="Start", help="an answer to a question, or a further one")
    given = arguments.parse_args()
    if not os.environ.get("OPENAI_MODEL"):
        sys.exit("OPENAI_MODEL is not set. Name the model, and with OPENAI_BASE_URL and OPENAI_API_KEY its service.")
    try:
        sys.exit(asyncio.run(main(given.mission, given.session, given.work_dir, given.say)))
    except ModuleNotFoundError as missing:
        sys.exit(str(missing))
