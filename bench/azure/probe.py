"""Print the CPU ms, wall ms and MB that a part adds to a server. Runs as a separate process."""

from __future__ import annotations

import importlib
import json
import sys
import time

import anyio

from bench.azure.memory import resident


def main() -> None:
    _load("server.stdio", "corpus.library", "corpus.embedding")
    held, before, began = resident(), time.process_time(), time.perf_counter()
    if sys.argv[1] == "local":
        _load("corpus.index.local", "tantivy", "numpy")
    else:
        anyio.run(_azure, sys.argv[1])
    processor, wall = time.process_time() - before, time.perf_counter() - began
    print(json.dumps([processor * 1000, wall * 1000, resident() - held]))


def _load(*modules: str) -> None:
    for module in modules:
        importlib.import_module(module)


async def _azure(credential: str) -> None:
    """Prepare a search up to its first request, but do not send the request."""
    from corpus.index.azure.service.clients import Clients, Service, Timing

    key = "none" if credential == "key" else None
    clients = Clients(Service("https://nowhere.search.windows.net", key), Timing())
    for index in ("content-blocks", "documents-metadata"):
        await clients.of(index)
    await clients.definitions()
    await clients.aclose()


if __name__ == "__main__":
    main()
