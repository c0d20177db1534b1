"""A LlamaIndex agent that uses LlamaIndex's MCP tools."""

import asyncio
import sys

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike
from llama_index.tools.mcp import BasicMCPClient, McpToolSpec

_, model, server, question = sys.argv


async def main() -> None:
    tools = await McpToolSpec(client=BasicMCPClient(server, ["serve"])).to_tool_list_async()
    llm = OpenAILike(
        model="scripted",
        api_base=f"{model}/v1",
        api_key="dummy",
        is_chat_model=True,
        is_function_calling_model=True,
    )
    print(await FunctionAgent(tools=tools, llm=llm).run(question))


asyncio.run(main())
