"""FastMCP's client. It has no model, so this script calls the tools that a model would call."""

import asyncio
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport

_, _, server, question = sys.argv


async def main() -> None:
    async with Client(StdioTransport(server, ["serve"])) as client:
        await client.list_tools()
        await client.list_prompts()
        await client.list_resources()
        await client.get_prompt("ask", {"question": question})
        print(await client.call_tool("rag_semantic_search", {"query": question, "top_k": 3}))
        print(await client.call_tool("rag_show_page", {"doc_id": "xyz-pump-technical-manual.pdf", "page_number": 8}))
        print(await client.call_tool("rag_get_document", {"name": "pump"}, raise_on_error=False))


asyncio.run(main())
