"""CPU time and memory of a server and its child processes, as reported by Linux."""

from __future__ import annotations

import os
import time
from pathlib import Path

_OF_PROCESS = 2
"""Part of a Linux clock id that selects the scheduler clock of a process. This clock includes threads that have
ended."""


def children(parent: int | None = None) -> set[int]:
    """Return the running child processes of this process or of `parent`."""
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
    """Return the memory in use by these processes. Memory pages that processes share count once for each process."""
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
