"""Processor time and memory of a server with the processes that it starts, read from Linux."""

from __future__ import annotations

import os
import time
from pathlib import Path

_OF_PROCESS = 2
"""The scheduler's clock of a process, in a clock id of Linux; it counts threads that have ended too."""


def children(parent: int | None = None) -> set[int]:
    """Processes that this one, or another, has started and that still run."""
    parent = parent or os.getpid()
    return {pid for pid, above in _parents().items() if above == parent}


def tree(root: int) -> list[int]:
    parents, found = _parents(), [root]
    for pid in found:
        found += [child for child, above in parents.items() if above == pid]
    return found


def processor_seconds(pids: list[int]) -> float:
    return sum(_clock(pid) for pid in pids)


def resident_mb(pids: list[int]) -> float:
    """Memory in use, where processes share pages counted once for each."""
    pages = 0
    for pid in pids:
        place = Path(f"/proc/{pid}/statm")
        pages += int(place.read_text(encoding="ascii").split()[1]) if place.exists() else 0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _clock(pid: int) -> float:
    try:
        return time.clock_gettime(((~pid) << 3) | _OF_PROCESS)
    except OSError:
        return 0.0


def _parents() -> dict[int, int]:
    found = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            after_name = place.read_text(encoding="utf-8", errors="replace").rpartition(")")[2]
        except OSError:
            continue
        found[int(place.parent.name)] = int(after_name.split()[1])
    return found
