"""grounded-rag-mcp: BM25 and hashed vectors over Markdown and text, in memory. A model for its vectors is an optional
extra."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from bench.peers import environments
from bench.peers.promise import Command, Material, Page

VERSION = "0.1.0"
POOL = 20
"""Maximum number of passages that the server ranks, regardless of the request."""


class GroundedRag:
    """https://github.com/chetan1521/grounded-rag-mcp"""

    name, reads, tool, in_memory = "grounded-rag-mcp", "text of pages", "search", True

    def __init__(self, mode: str) -> None:
        self.mode = mode

    def install(self) -> str:
        self._bin = environments.python_package("grounded-rag-mcp", VERSION)
        return VERSION

    def ingestion(self, material: Material, state: Path) -> Sequence[Command]:
        return []

    def server(self, material: Material, state: Path) -> StdioServerParameters:
        return StdioServerParameters(command=str(self._bin / "grounded-rag-mcp"), env=self.settings(state))

    def settings(self, state: Path) -> dict[str, str]:
        return environments.of(state)

    async def ready(self, client: Client, material: Material) -> None:
        await client.call_tool("ingest_documents", {"paths": [str(material.texts)]})

    def arguments(self, query: str, top_k: int, material: Material) -> dict[str, Any]:
        return {"query": query, "top_k": min(top_k, POOL), "mode": self.mode}

    def pages(self, answer: Any, material: Material) -> list[Page]:
        return [material.page_of(hit["source"]) for hit in answer["result"]]
