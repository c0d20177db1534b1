"""A LangChain agent that uses the MCP adapters."""

import asyncio
import sys

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI

_, model, server, question = sys.argv


async def main() -> None:
    ibid = {"transport": "stdio", "command": server, "args": ["serve"]}
    client = MultiServerMCPClient({"ibid": ibid})
    chat = ChatOpenAI(model="scripted", base_url=f"{model}/v1", api_key="dummy")
    agent = create_agent(chat, await client.get_tools())
    answer = await agent.ainvoke({"messages": [{"role": "user", "content": question}]})
    print(answer["messages"][-1].content)


asyncio.run(main())
