"""Run a complete `ibid serve` over an empty index and ask it one question. Python reports its imports."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from typing import IO, Any

import anyio

from bench.azure.memory import resident
from bench.azure.service import CONTENT, DOCUMENTS
from corpus.embedding import choose
from corpus.index.azure import Service
from corpus.index.azure.schema.create_indexes import content_index, documents_index
from corpus.index.azure.schema.index_schema import Mark
from corpus.index.azure.service.connection import Connection

_IMPORTED = re.compile(r"^import time:\s+\d+ \|\s+\d+ \|\s*(\S+)$", re.MULTILINE)


@dataclass(frozen=True)
class Served:
    """Memory in MB after the search, and every imported module."""

    memory: float
    modules: frozenset[str]


def served(backend: str, service: Service) -> Served:
    if backend == "azure":
        anyio.run(make_indexes, service)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+", encoding="utf-8") as told:
        settings = {
            "RAG_DATA_DIR": folder, "RAG_BACKEND": backend, "RAG_EMBEDDER": "packaged", "RAG_LOG_LEVEL": "ERROR",
            "AZURE_SEARCH_ENDPOINT": service.endpoint, "AZURE_SEARCH_API_KEY": service.key or "",
        }  # fmt: skip
        command = [sys.executable, "-X", "importtime", "-c", "from server.cli import main; main()", "serve"]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=told, text=True, env=_plain() | settings
        ) as process:  # fmt: skip
            assert process.stdin
            assert process.stdout
            memory = _asked(process.stdin, process.stdout, process.pid)
            process.stdin.close()
            process.wait()
        told.seek(0)
        return Served(memory, frozenset(_IMPORTED.findall(told.read())))


async def make_indexes(service: Service) -> None:
    embedder = choose("packaged")
    assert embedder
    mark = Mark(True, embedder.id)
    async with Connection(service) as connection:
        await connection.create(content_index(CONTENT, dimensions=embedder.dimensions, mark=mark))
        await connection.create(documents_index(DOCUMENTS, mark=mark))


def _plain() -> dict[str, str]:
    """Return the environment without Ibid's settings."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("RAG_", "AZURE_"))}


def _asked(send: IO[str], receive: IO[str], process: int) -> float:
    about = {"name": "bench", "version": "0"}
    _call(send, receive, 1, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=about)
    _send(send, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    answer = _call(send, receive, 2, "tools/call", name="rag_semantic_search", arguments={"query": "a pump"})
    assert not answer["result"].get("isError"), answer
    return resident(process)


def _call(send: IO[str], receive: IO[str], number: int, method: str, **params: Any) -> dict[str, Any]:
    _send(send, {"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    while line := receive.readline():
        answer: dict[str, Any] = json.loads(line)
        if answer.get("id") == number:
            return answer
    raise EOFError(method)


def _send(send: IO[str], message: dict[str, Any]) -> None:
    send.write(json.dumps(message) + "\n")
    send.flush()
