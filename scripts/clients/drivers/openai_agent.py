"""An OpenAI Agents SDK agent."""

import asyncio
import sys

from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio
from openai import AsyncOpenAI

_, model, server, question = sys.argv


async def main() -> None:
    set_tracing_disabled(True)
    llm = OpenAIResponsesModel("scripted", AsyncOpenAI(base_url=f"{model}/v1", api_key="dummy"))
    async with MCPServerStdio({"command": server, "args": ["serve"]}) as ibid:
        agent = Agent(name="desk", model=llm, mcp_servers=[ibid])
        print((await Runner.run(agent, question)).final_output)


asyncio.run(main())
