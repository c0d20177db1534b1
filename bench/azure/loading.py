"""Measure the import time and memory that the backend adds to a server process."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys

from bench.azure.service import stand_in
from bench.azure.serving import Served, served
from bench.tables import table

RUNS = 7
MOST = 50.0
"""Maximum memory in MB that the SDK may add."""
ADDED = {
    "key": "the backend and its clients, with a key",
    "identity": "the backend and its clients, with DefaultAzureCredential",
    "local": "the local index with its engines, for comparison",
}


def measured() -> str:
    return "\n\n".join([_added(), _servers()])


def _added() -> str:
    """Return a table of what each part adds, measured after the imports that every server makes."""
    rows = []
    for part, told in ADDED.items():
        runs = [_probed(part) for _ in range(RUNS)]
        processor, wall, memory = (statistics.median(run[n] for run in runs) for n in range(3))
        rows.append([told, f"{processor:.0f}", f"{wall:.0f}", f"{memory:.1f}"])
        if memory > MOST:
            rows[-1][-1] += f", NOT under {MOST:.0f}"
    head = [f"added to a server process, median of {RUNS}", "processor ms", "wall ms", "resident MB"]
    return table(head, rows)


def _probed(part: str) -> list[float]:
    command = [sys.executable, "-m", "bench.azure.probe", part]
    found: list[float] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return found


def _servers() -> str:
    """Return a table of complete servers after one search, each with the packaged embedder."""
    with stand_in() as service:
        both = {backend: served(backend, service) for backend in ("local", "azure")}
    rows = [[backend, f"{one.memory:.0f}", _loaded(one)] for backend, one in both.items()]
    head = [
        "`ibid serve` after a search by the packaged embedder", "resident MB", "modules loaded of azure and aiohttp"
    ]  # fmt: skip
    return table(head, rows)


def _loaded(one: Served) -> str:
    return str(sum(1 for name in one.modules if name.split(".")[0] in ("azure", "aiohttp")) or "none")
