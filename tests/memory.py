"""Temporary files of the tests are in memory if there is enough, because some test files run five times as fast
there."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

MEMORY = Path("/dev/shm")
MIN_FREE = 4 << 30
"""Minimum free memory, in bytes. The complete suite, with the environments of the packaging tests, always takes under 2
GB."""
_PREFIX = "ibid-"


def folder_in_memory() -> Path | None:
    """Return a new folder in memory, or None if memory is short or programs cannot be started there."""
    if not os.access(MEMORY, os.W_OK | os.X_OK):
        return None
    system = os.statvfs(MEMORY)
    if system.f_bavail * system.f_frsize < MIN_FREE or system.f_flag & os.ST_NOEXEC:
        return None
    _remove_abandoned()
    folder = MEMORY / f"{_PREFIX}{os.getpid()}"  # short, because the path of a socket has at most about 100 characters
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:  # left by another user
        return None
    return folder


def _remove_abandoned() -> None:
    """Remove the folders of runs that were killed."""
    for folder in MEMORY.glob(f"{_PREFIX}*"):
        pid = folder.name.removeprefix(_PREFIX)
        if pid.isdecimal() and (pid == str(os.getpid()) or not Path("/proc", pid).exists()):
            shutil.rmtree(folder, ignore_errors=True)
