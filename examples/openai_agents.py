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

from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio, MCPServerStdioParams
from openai import AsyncOpenAI

# Its traces would go to api.openai.com, with the texts of the documents in them.
set_tracing_disabled(True)


async def main(question: str) -> None:
    settings = {
        name: value for name, value in os.environ.items() if name.startswith(("RAG_", "AZURE_", "PATH"))
    }
    ibid = MCPServerStdioParams(command="ibid", args=["serve"], env=settings)
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
    asyncio.run(main(" ".join(sys.argv[1:]) or "How is the XYZ pump started?"))
