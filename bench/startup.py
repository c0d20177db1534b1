"""From the start of a process to its first answer, beside a bare server of the SDK: `python -m bench startup`.

Both are started by turns, in both generations of the protocol, so that a busy moment hits both. Processor time is the
server's own, up to the answer.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Sequence

from bench import record
from bench.measured import spread
from bench.record import Row
from bench.speaking import BARE, ERAS, OURS, Speaking
from bench.tables import of_rows

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
)


def main() -> None:
    load = os.getloadavg()[0]
    rows = [row for era in ERAS for row in compared(era)]
    print(of_rows(rows, COLUMNS))
    record.write("startup", "python -m bench startup", rows, load=load, packages=("mcp",))


def compared(era: str) -> list[Row]:
    servers = {"bare": BARE, "ibid": OURS}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in servers}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(STARTS + 1):
            for name, command in servers.items():
                times[name].append(once(command, folder, era))
    rows = {name: row(era, name, held[1:]) for name, held in times.items()}
    beyond = {
        key: round(float(value) - float(rows["bare"][key] or 0), 1)
        for key, value in rows["ibid"].items()
        if isinstance(value, float)
    }
    return [*rows.values(), {"first": era, "server": "beyond", **beyond}]


def once(command: Sequence[str], folder: str, era: str) -> tuple[float, float]:
    """Milliseconds of the processor and of the clock."""
    begun = time.perf_counter()
    with Speaking(command, {"RAG_DATA_DIR": folder}, era) as server:
        server.greet()
        return server.cpu_ms(), (time.perf_counter() - begun) * 1000


def row(
    era: str, name: str, times: Sequence[tuple[float, float]]
) -> dict[str, str | int | float | bool | None]:
    of = spread([cpu for cpu, _ in times], [wall for _, wall in times])
    return {"first": era, "server": name, **of.row(), "wall_min_ms": round(min(wall for _, wall in times), 1)}


if __name__ == "__main__":
    main()
