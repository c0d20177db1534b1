"""A workflow over MCP: search, let `llm_generate` write from the blocks that were found, check what it wrote.

    ibid ingest examples/documents
    RAG_LLM_MODEL=llama3.2 RAG_LLM_BASE_URL=http://localhost:11434/v1 \\
        python examples/brief_from_blocks.py "risks in Project Titan" "Write five bullets for a committee."

`llm_generate` reads no document: it knows the blocks that are passed as its context, each with the citation that the
text is to keep. `rag_verify_answer` then compares each claim with the source that it cites.
"""

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import TextContent

TASK = "Write a brief of five bullets."
RULES = "Use the blocks alone. End each bullet with the `citation` of its block, exactly as it is written there."
BLOCKS = 6


async def main(query: str, task: str) -> int:
    """Print the text and the claims that its sources do not bear out; 0 where there are none."""
    status = 1
    try:
        async with Client(ibid()) as client:
            try:
                status = await written_and_checked(client, query, task)
            except Refused as refused:
                print(refused, file=sys.stderr)
    except* (MCPError, OSError):
        print("`ibid serve` does not answer. `ibid doctor` finds the cause.", file=sys.stderr)
    return status


async def written_and_checked(client: Client, query: str, task: str) -> int:
    found = await call(client, "rag_semantic_search", query=query, top_k=BLOCKS)
    context = {"blocks": blocks(found["results"])}
    made = await call(client, "llm_generate", prompt=f"{task}\n{RULES}", context=context, temperature=0.2)
    text = made["generated_text"]
    print(text)
    ids = [hit["block_id"] for hit in found["results"]]
    check = await call(client, "rag_verify_answer", answer=text, block_ids=ids)
    for claim in check["unsupported_claims"]:
        print(f"Not borne out by its source: {claim}", file=sys.stderr)
    return 1 if check["unsupported_claims"] else 0


def blocks(results: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What a model needs of each hit: what it says, under which heading, and how it is cited."""
    return [{name: hit[name] for name in ("citation", "heading", "content") if hit.get(name)} for hit in results]


class Refused(Exception):
    """A call failed; the text says why and what helps."""


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    if result.is_error or result.structured_content is None:
        raise Refused("\n".join(part.text for part in result.content if isinstance(part, TextContent)))
    return dict(result.structured_content)


def ibid() -> StdioServerParameters:
    """How to start the server. A client passes on little of its own environment, so settings are named here."""
    settings = {"RAG_LOG_LEVEL": "WARNING"}  # it writes its log into the same terminal
    settings |= {name: value for name, value in os.environ.items() if name.startswith(("RAG_", "AZURE_", "SSL_"))}
    beside_python = Path(sys.executable).with_name("ibid")
    command = str(beside_python) if beside_python.exists() else shutil.which("ibid")
    return StdioServerParameters(command=command or "ibid", args=["serve"], env=settings)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("Usage: python examples/brief_from_blocks.py QUERY [TASK]")
    sys.exit(anyio.run(main, sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else TASK))
