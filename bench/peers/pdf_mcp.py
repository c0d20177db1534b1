"""pdf-mcp: keyword search over a folder of PDFs, its automatic fallback if its model is missing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from bench.peers import environments
from bench.peers.promise import Command, Material, Page

VERSION = "3.5.0"


class PdfMcp:
    """https://github.com/jztan/pdf-mcp"""

    name, mode, reads, tool, in_memory = "pdf-mcp", "keyword", "PDF", "pdf_corpus_search", False

    def install(self) -> str:
        self._bin = environments.python_package("pdf-mcp", VERSION)
        return VERSION

    def ingestion(self, material: Material, state: Path) -> Sequence[Command]:
        warm = str(self._bin / "pdf-mcp-warm")
        return [[warm, str(material.pdfs), "--recursive", "--no-embeddings", "--no-sections"]]

    def server(self, material: Material, state: Path) -> StdioServerParameters:
        return StdioServerParameters(command=str(self._bin / "pdf-mcp"), env=self.settings(state))

    def settings(self, state: Path) -> dict[str, str]:
        return environments.of(state, PDF_MCP_CACHE_DIR=str(state / "cache"), PDF_MCP_CACHE_TTL="8760")

    async def ready(self, client: Client, material: Material) -> None:
        """Do nothing, because the documents are in its cache."""

    def arguments(self, query: str, top_k: int, material: Material) -> dict[str, Any]:
        return {
            "paths": str(material.pdfs),
            "query": query,
            "mode": "keyword",
            "top_k": top_k,
            "recursive": True,
        }

    def pages(self, answer: Any, material: Material) -> list[Page]:
        return [(Path(hit["path"]).name, int(hit["page"])) for hit in answer["matches"]]
