"""The same with a framework: an agent of the OpenAI Agents SDK whose tools are Ibid's.

    ibid ingest examples/documents
    pip install openai-agents
    OPENAI_BASE_URL=http://localhost:11434/v1 OPENAI_API_KEY=none OPENAI_MODEL=qwen3 \\
        python examples/openai_agents.py "How is the XYZ pump started?"
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

try:
    from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
    from agents.mcp import MCPServerStdio, MCPServerStdioParams
    from openai import AsyncOpenAI
except ModuleNotFoundError as missing:
    sys.exit(f"The package {missing.name} is not installed: pip install openai-agents")

# Its traces would go to api.openai.com, with the texts of the documents in them.
set_tracing_disabled(True)


async def main(question: str) -> None:
    settings = {"RAG_LOG_LEVEL": "WARNING"}  # it writes its log into the same terminal
    settings |= {name: value for name, value in os.environ.items() if name.startswith(("RAG_", "AZURE_", "PATH"))}
    beside_python = Path(sys.executable).with_name("ibid")
    command = str(beside_python) if beside_python.exists() else "ibid"
    ibid = MCPServerStdioParams(command=command, args=["serve"], env=settings)
    # A first search may have to wait for the index; five seconds, the default, can be too few.
    async with MCPServerStdio(ibid, cache_tools_list=True, client_session_timeout_seconds=60) as server:
        prompt = await server.get_prompt("rag_system_prompt")
        agent = Agent(
            "Ibid",
            instructions=prompt.messages[0].content.text,
            model=OpenAIChatCompletionsModel(os.environ["OPENAI_MODEL"], AsyncOpenAI()),
            mcp_servers=[server],
        )
        result = await Runner.run(agent, question, max_turns=20)
    print(result.final_output)


if __name__ == "__main__":
    if not os.environ.get("OPENAI_MODEL"):
        sys.exit("OPENAI_MODEL is not set. Name the model, and with OPENAI_BASE_URL and OPENAI_API_KEY its service.")
    asyncio.run(main(" ".join(sys.argv[1:]) or "How is the XYZ pump started?"))
