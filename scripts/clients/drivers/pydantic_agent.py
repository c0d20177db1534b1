"""A Pydantic AI agent."""

import asyncio
import sys

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

_, model, server, question = sys.argv


async def main() -> None:
    llm = OpenAIChatModel("scripted", provider=OpenAIProvider(base_url=f"{model}/v1", api_key="dummy"))
    agent = Agent(llm, toolsets=[MCPToolset(StdioTransport(server, ["serve"]))], retries=3)
    async with agent:
        print((await agent.run(question)).output)


asyncio.run(main())
