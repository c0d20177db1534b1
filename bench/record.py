"""Results of a bench as JSON, stored with its table: `bench/results/NAME.json`, the source of docs/performance.md."""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).with_name("results")
Row = Mapping[str, str | int | float | bool | None]
"""Row of a table: a mapping from names to values. The name of a number ends with its unit. `part` distinguishes the
tables of one bench."""


def write(
    name: str,
    command: str,
    rows: Sequence[Row],
    *,
    load: float | None = None,
    packages: Sequence[str] = (),
    **more: Any,
) -> Path:
    """Store the rows with the machine, the time and the versions of the measurement. `load` is the load of the machine
    at the start."""
    busy = {"load_after": round(os.getloadavg()[0], 1)}
    if load is not None:
        busy["load_before"] = round(load, 1)
    kept = {
        "name": name,
        "command": command,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": {**machine(), **busy},
        "versions": {
            "python": platform.python_version(),
            **{each: version(each) for each in ("ibid-mcp", *packages)},
        },
        **more,
        "rows": [dict(row) for row in rows],
    }
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / f"{name}.json"
    file.write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return file


def machine() -> dict[str, str | int | float]:
    """Return the processor, the number of cores, the memory and the operating system."""
    return {
        "processor": _first("/proc/cpuinfo", r"model name\s*: (.+)") or platform.machine(),
        "cores": os.cpu_count() or 1,
        "memory_gb": round(int(_first("/proc/meminfo", r"MemTotal:\s+(\d+)") or 0) / 1e6),
        "system": platform.system(),
    }


def _first(file: str, pattern: str) -> str | None:
    place = Path(file)
    found = re.search(pattern, place.read_text(encoding="utf-8")) if place.exists() else None
    return found[1].strip() if found else None
