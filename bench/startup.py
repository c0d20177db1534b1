"""Measure the time from the start of a process to its first answer, compared with a bare SDK server: `python -m bench
startup`.

The servers are started in turn, in both protocol generations, so that other load on the machine affects all of them.
`kept` has the answers from an earlier start in its data folder; `ibid` has none. CPU time is that of the server up to
the first answer; `call` is the first call of a tool, sent directly after the handshake.
"""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench import record
from bench.measured import spread
from bench.record import Row
from bench.speaking import BARE, ERAS, OURS, Speaking
from bench.tables import of_rows
from server.first_answers.kept_file import FOLDER

STARTS = 9
COLUMNS = (
    "first",
    "server",
    "cpu_min_ms",
    "cpu_p50_ms",
    "cpu_p95_ms",
    "wall_min_ms",
    "wall_p50_ms",
    "wall_p95_ms",
    "wall_max_ms",
    "call_p50_ms",
    "call_max_ms",
)
Times = tuple[float, float, float]


def main() -> None:
    load = os.getloadavg()[0]
    rows = [row for era in ERAS for row in compared(era)]
    print(of_rows(rows, COLUMNS))
    record.write("startup", "python -m bench startup", rows, load=load, packages=("mcp",))


def compared(era: str) -> list[Row]:
    servers = {"bare": BARE, "ibid": OURS, "kept": OURS}
    times: dict[str, list[Times]] = {name: [] for name in servers}
    with tempfile.TemporaryDirectory() as folder:
        for n in range(STARTS + 1):
            for name in list(servers)[:: -1 if n % 2 else 1]:
                if name == "ibid":  # it writes them for the next start when it exits
                    shutil.rmtree(Path(folder) / FOLDER, ignore_errors=True)
                times[name].append(once(servers[name], folder, era))
    rows = {name: row(era, name, held[1:]) for name, held in times.items()}
    return [*rows.values(), *(beyond(rows["bare"], rows[name]) for name in ("ibid", "kept"))]


def beyond(bare: Row, other: Row) -> Row:
    """Return how much more time a server takes than a bare one."""
    numbers = {key: round(value - float(bare[key] or 0), 1) for key, value in other.items() if isinstance(value, float)}
    return {"first": other["first"], "server": f"{other['server']} beyond bare", **numbers}


def once(command: Sequence[str], folder: str, era: str) -> Times:
    """Return the CPU and wall milliseconds up to the first answer, and the wall milliseconds up to the answer to the
    first call."""
    begun = time.perf_counter()
    with Speaking(command, {"RAG_DATA_DIR": folder}, era) as server:
        server.greet()
        first = server.cpu_ms(), (time.perf_counter() - begun) * 1000
        if command == BARE:
            server.call("empty", query="pump")
        else:
            server.call("rag_list_documents")
        return *first, (time.perf_counter() - begun) * 1000


def row(era: str, name: str, times: Sequence[Times]) -> Row:
    processor, wall, call = ([each[n] for each in times] for n in range(3))
    return {
        "first": era,
        "server": name,
        **spread(processor, wall).row(),
        "wall_min_ms": round(min(wall), 1),
        "wall_max_ms": round(max(wall), 1),
        "call_p50_ms": round(statistics.median(call), 1),
        "call_max_ms": round(max(call), 1),
    }


if __name__ == "__main__":
    main()
