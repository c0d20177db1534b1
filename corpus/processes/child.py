"""Start child processes of this package, and limit their resources."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path
from typing import IO

import corpus

BOOTSTRAP = """
import importlib, importlib.util, sys
package = importlib.util.spec_from_file_location(
    "corpus", sys.argv[1] + "/__init__.py", submodule_search_locations=[sys.argv[1]])
sys.modules["corpus"] = importlib.util.module_from_spec(package)
importlib.import_module(sys.argv[2]).main(*sys.argv[3:])
"""
"""Load this package from its path, so that no folder and no PYTHONPATH can put another `corpus` before it.

Its `__init__` is not run: it loads logging, which takes half as long as a reading process takes to start."""


def command(module: str, *words: str) -> list[str]:
    """Return the command line of a process that calls `main(*words)` of a module of this package."""
    package = str(Path(corpus.__file__).resolve().parent)
    return [sys.executable, "-P", "-X", "utf8", "-c", BOOTSTRAP, package, module, *words]


def own_output() -> IO[bytes]:
    """Return standard output for frames alone; what libraries print goes to standard error."""
    frames = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(frames, "wb", buffering=0)


OUT_OF_MEMORY = 77
"""Exit code of a process that exceeded its memory limit."""

_SLACK = 400_000_000
"""Bytes of address space beyond the limit: the process reserves more than it uses."""
_FILE_BYTES = 100_000_000
"""The language model and attachments are unpacked into files; nothing else is written."""


def set_bounds(memory_bytes: int) -> None:
    """Limit this process: past `memory_bytes` resident it ends itself; far beyond, the system refuses memory."""
    if sys.platform == "win32":
        return
    import resource

    os.nice(5)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, _FILE_BYTES)
    if sys.platform == "linux":
        # The watch reports the reason; this limit catches what grows faster than it looks.
        _limit(resource.RLIMIT_AS, memory_bytes + _SLACK)
        threading.Thread(target=_watch, args=(memory_bytes,), daemon=True).start()


def out_of_memory() -> None:
    """End the process at once, with the exit code that says why."""
    os._exit(OUT_OF_MEMORY)


def resident_bytes(pid: int | str) -> int:
    """Return a process's resident memory in bytes; 0 where the system does not tell."""
    try:
        # Not ru_maxrss, which a process inherits from its parent.
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
