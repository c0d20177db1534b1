"""Ibid itself, with keyword search only or with keyword search and vectors, over the same index."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from bench.peers import environments
from bench.peers.promise import Command, Material, Page

COMMAND = str(Path(sys.executable).with_name("ibid"))


class Ibid:
    """Ibid. Without vectors, it uses only keyword search. The vectors of questions come from the packaged model. The
    vectors of passages come from `given_vectors`, because the time for embedding them depends only on the model, and it
    would take most of an hour."""

    name, reads, tool, in_memory = "Ibid", "PDF", "rag_semantic_search", False

    def __init__(self, mode: str) -> None:
        self.mode = mode

    def install(self) -> str:
        return version("ibid-mcp")

    def ingestion(self, material: Material, state: Path) -> Sequence[Command]:
        reading = [COMMAND, "ingest", "--no-vectors", str(material.pdfs)]
        if self.mode != "hybrid":
            return [reading]
        vectors = [sys.executable, "-m", "bench.peers.given_vectors", str(_data(state))]
        return [reading, [*vectors, "--drawn"] if material.drawn else vectors]

    def server(self, material: Material, state: Path) -> StdioServerParameters:
        return StdioServerParameters(command=COMMAND, args=["serve"], env=self.settings(state))

    def settings(self, state: Path) -> dict[str, str]:
        embedder = "packaged" if self.mode == "hybrid" else "none"
        return environments.of(state, RAG_DATA_DIR=str(_data(state)), RAG_EMBEDDER=embedder, RAG_LOG_LEVEL="WARNING")

    async def ready(self, client: Client, material: Material) -> None:
        """Do nothing, because the index is on disk."""

    def arguments(self, query: str, top_k: int, material: Material) -> dict[str, Any]:
        return {"query": query, "top_k": top_k}

    def pages(self, answer: Any, material: Material) -> list[Page]:
        names = {document["doc_id"]: document["filename"] for document in answer["documents"]}
        return [
            (next(name for doc_id, name in names.items() if hit["block_id"].startswith(f"{doc_id}-")),
             hit.get("page_number", 0))
            for hit in answer["results"]
        ]  # fmt: skip


def _data(state: Path) -> Path:
    return state / "data"
