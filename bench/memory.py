"""Measure a server's memory after its first searches: `python -m bench memory [--blocks 100000] [--folder
.bench/search]`.

The bench measures a server without documents, one with many, two servers that share an index, and one that uses Azure
AI Search (an emulator in this process). `private` is memory that only this process uses; `resident` also counts mapped
files, which processes share.
"""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path

import anyio

from bench import record
from bench.azure.service import stand_in
from bench.azure.serving import make_indexes
from bench.blocks import Corpus
from bench.record import Row
from bench.served import asked, settings
from bench.speaking import BARE, OURS, Speaking
from bench.tables import of_rows

SEARCHES = 30
COLUMNS = ("server", "blocks", "private_mb", "resident_mb")


def main() -> None:
    chosen = asked("memory", __doc__)
    rows = [bare(), empty(), *two_at_once(chosen.folder, chosen.blocks), azure()]
    print(of_rows(rows, COLUMNS))
    record.write(
        "memory",
        f"python -m bench memory --blocks {chosen.blocks}",
        rows,
        load=chosen.load,
        packages=("mcp",),
    )


def bare() -> Row:
    """Measure an SDK server after its handshake."""
    with Speaking(BARE, {}) as server:
        server.greet()
        return row("bare SDK", None, server)


def empty() -> Row:
    with tempfile.TemporaryDirectory() as folder, Speaking(OURS, settings(Path(folder))) as server:
        searched(server, 0)
        return row("local", 0, server)


def two_at_once(folder: Path, blocks: int) -> list[Row]:
    """Measure two servers. The first writes the vector file if there is none, and both map it into memory."""
    with ExitStack() as stack:
        servers = [stack.enter_context(Speaking(OURS, settings(folder))) for _ in range(2)]
        for server in (*servers, *servers):
            searched(server, blocks)
        return [row(name, blocks, one) for name, one in zip(("local", "local, another"), servers, strict=True)]


def azure() -> Row:
    with tempfile.TemporaryDirectory() as folder, stand_in() as service:
        anyio.run(make_indexes, service)
        place = {
            "RAG_BACKEND": "azure",
            "AZURE_SEARCH_ENDPOINT": service.endpoint, "AZURE_SEARCH_API_KEY": service.key or "",
        }  # fmt: skip
        with Speaking(OURS, settings(Path(folder)) | place) as server:
            searched(server, 0)
            return row("azure", 0, server)


def searched(server: Speaking, blocks: int) -> None:
    corpus = Corpus(max(blocks, 1))
    server.greet()
    for _ in range(SEARCHES):
        server.call("rag_semantic_search", query=corpus.query())


def row(name: str, blocks: int | None, server: Speaking) -> Row:
    held = {f"{kind}_mb": round(size, 1) for kind, size in server.memory_mb().items()}
    return {"server": name, "blocks": blocks, **held}


if __name__ == "__main__":
    main()
