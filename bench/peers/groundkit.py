"""groundkit: BM25 over Markdown and text, its default. Its vectors need a running Ollama and a model for it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from bench.peers import environments
from bench.peers.promise import Command, Material, Page

VERSION = "0.2.1"


class Groundkit:
    """https://github.com/tafreeman/groundkit"""

    name, mode, reads, tool, in_memory = "groundkit", "bm25", "text of pages", "search", False

    def install(self) -> str:
        self._bin = environments.python_package("groundkit", VERSION)
        return VERSION

    def ingestion(self, material: Material, state: Path) -> Sequence[Command]:
        grk = str(self._bin / "grk")
        return [[grk, "ingest", str(material.texts), "--index-dir", str(state / "index")]]

    def server(self, material: Material, state: Path) -> StdioServerParameters:
        places = ["--index-dir", str(state / "index"), "--base-dir", str(material.texts)]
        command = str(self._bin / "grk")
        return StdioServerParameters(command=command, args=["serve-mcp", *places], env=self.settings(state))

    def settings(self, state: Path) -> dict[str, str]:
        return environments.of(state)

    async def ready(self, client: Client, material: Material) -> None:
        """Do nothing, because the index is on disk."""

    def arguments(self, query: str, top_k: int, material: Material) -> dict[str, Any]:
        return {"query": query, "top_k": top_k}

    def pages(self, answer: Any, material: Material) -> list[Page]:
        return [material.page_of(hit["citation"]["source"]) for hit in answer["results"]]
