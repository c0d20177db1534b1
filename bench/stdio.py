"""Measure a search as a tool call over stdio, compared with an empty tool of a bare SDK server and with the same search
in process: `python -m bench stdio [--blocks 100000] [--folder .bench/search]`.

All of these except the empty tool include the query's embedding, and no query repeats.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import anyio

from bench import record
from bench.blocks import Corpus
from bench.measured import WARMING, Times, spread
from bench.record import Row
from bench.served import asked, settings
from bench.speaking import BARE, ERAS, OURS, Speaking
from bench.tables import of_rows
from corpus.access import Caller
from server.bootstrap import library
from server.settings.model import Settings

CALLS, TOP = 40, 10
CALLER = Caller(user_id="few")
COLUMNS = ("first", "what", "cpu_min_ms", "cpu_p50_ms", "cpu_p95_ms", "wall_p50_ms", "wall_p95_ms", "ratio")


def main() -> None:
    chosen = asked("stdio", __doc__)
    corpus = Corpus(chosen.blocks)
    queries = [corpus.query() for _ in range(CALLS + WARMING)]
    alone = anyio.run(in_process, chosen.folder, queries)
    rows: list[Row] = [{"first": "", "what": "search in process", **alone.row()}]
    for era in ERAS:
        rows += over_stdio(era, chosen.folder, queries, alone)
    print(of_rows(rows, COLUMNS))
    record.write("stdio", f"python -m bench stdio --blocks {chosen.blocks}", rows, load=chosen.load, packages=("mcp",))


def over_stdio(era: str, folder: Path, queries: list[str], alone: Times) -> list[Row]:
    """Return the times of the empty tool and of the search, and the ratio of the difference between them to the time of
    the search in process."""
    with tempfile.TemporaryDirectory() as nothing, Speaking(BARE, {"RAG_DATA_DIR": nothing}, era) as bare:
        bare.greet()
        empty = timed(bare, lambda n: bare.call("empty", query=queries[n]), len(queries))
    with Speaking(OURS, settings(folder), era) as ours:
        ours.greet()
        search = timed(ours, lambda n: ours.call("rag_semantic_search", query=queries[n], top_k=TOP), len(queries))
    ratio = (search.cpu_p50_ms - empty.cpu_p50_ms) / alone.cpu_p50_ms
    return [
        {"first": era, "what": "empty tool", **empty.row()},
        {"first": era, "what": "search tool", **search.row(), "ratio": round(ratio, 2)},
    ]


def timed(server: Speaking, call: Callable[[int], object], count: int) -> Times:
    """Return the CPU times of the server's process, and the wall times of its client."""
    cpu, wall = [], []
    for n in range(count):
        before, clock = server.cpu_ms(), time.perf_counter()
        call(n)
        cpu.append(server.cpu_ms() - before)
        wall.append((time.perf_counter() - clock) * 1000)
    return spread(cpu[WARMING:], wall[WARMING:])


async def in_process(folder: Path, queries: list[str]) -> Times:
    """Run the same search through the library, without a protocol."""
    cpu, wall = [], []
    async with library(Settings(**settings(folder))) as opened:  # type: ignore[arg-type]
        for query in queries:
            before, clock = time.process_time(), time.perf_counter()
            found = await opened.search(query, CALLER, top_k=TOP)
            cpu.append((time.process_time() - before) * 1000)
            wall.append((time.perf_counter() - clock) * 1000)
            assert found.mode == "hybrid", found
    return spread(cpu[WARMING:], wall[WARMING:])


if __name__ == "__main__":
    main()
