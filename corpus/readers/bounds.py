"""The bounds of a reading process, set by itself at its start: memory, no core dumps, low priority.

On Windows only the watch over memory is missing with the rest; time is kept by the server everywhere.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

OUT_OF_MEMORY = 77
"""Exit code of a process that needed more memory than it may."""

_SLACK = 400_000_000
_FILE_BYTES = 100_000_000


def set_bounds(memory_bytes: int) -> None:
    """From here on the process ends itself past its memory, and the system refuses it much more than that."""
    if sys.platform == "win32":
        return
    import resource

    os.nice(5)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(
        resource.RLIMIT_FSIZE, _FILE_BYTES
    )  # the language model unpacks into a file; nothing else is written
    if sys.platform == "linux":
        # The watch gives a reason; this limit is for what grows faster than the watch looks.
        _limit(resource.RLIMIT_AS, memory_bytes + _SLACK)
        threading.Thread(target=_watch, args=(memory_bytes,), daemon=True).start()


def out_of_memory() -> None:
    """Ends the process at once, with the code that says why."""
    os._exit(OUT_OF_MEMORY)


def resident_bytes(pid: int | str) -> int:
    """The memory that a process holds; 0 where the system does not tell."""
    try:
        # Not ru_maxrss: a process inherits that from the one which started it.
        pages = int(Path(f"/proc/{pid}/statm").read_bytes().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _limit(what: int, value: int) -> None:
    import resource

    _, hard = resource.getrlimit(what)
    within = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(what, (within, within))


def _watch(memory_bytes: int) -> None:
    while resident_bytes("self") <= memory_bytes:
        time.sleep(0.05)
    out_of_memory()
