"""Search for figures as any MCP client would, and print the address that the server gives for each.

    python examples/figure_addresses.py "section of the pump"

Over Azure AI Search with a container for pictures, an address is signed and opens one picture for some minutes.
Elsewhere it is a resource of the server.
"""

import os
import sys
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters


async def main(query: str) -> None:
    """Print document, page and address of each figure among the hits."""
    async with Client(ibid()) as client:
        result = await client.call_tool("rag_semantic_search", {"query": query, "filters": {"block_type": "image"}})
        if result.is_error or result.structured_content is None:
            sys.exit("\n".join(getattr(part, "text", "") for part in result.content))
        for hit in result.structured_content["results"]:
            print(f"{hit['citation']}\n  {hit['image_url']}")


def ibid() -> StdioServerParameters:
    """How to start the server. A client passes on little of its own environment, so settings are named here."""
    settings = {name: value for name, value in os.environ.items() if name.startswith(("RAG_", "AZURE_", "SSL_"))}
    command = Path(sys.executable).with_name("ibid")
    return StdioServerParameters(
        command=str(command) if command.exists() else "ibid",
        args=["serve"],
        env={"RAG_LOG_LEVEL": "WARNING"} | settings,
    )


if __name__ == "__main__":
    anyio.run(main, " ".join(sys.argv[1:]) or "figure")
