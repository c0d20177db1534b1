"""Temporary files of the tests lie in memory where there is enough: some files of tests are five times as fast so."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

MEMORY = Path("/dev/shm")
MIN_FREE = 4 << 30
"""Bytes. The whole suite, with the environments that packaging makes, takes under 2 GB at any time."""
_PREFIX = "ibid-"


def folder_in_memory() -> Path | None:
    """A new folder in memory, or None when there is too little of it, or programs cannot be started there."""
    if not os.access(MEMORY, os.W_OK | os.X_OK):
        return None
    system = os.statvfs(MEMORY)
    if system.f_bavail * system.f_frsize < MIN_FREE or system.f_flag & os.ST_NOEXEC:
        return None
    _remove_abandoned()
    folder = MEMORY / f"{_PREFIX}{os.getpid()}"  # short: the address of a socket has a hundred letters
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:  # what another user left
        return None
    return folder


def _remove_abandoned() -> None:
    """What runs left that were killed."""
    for folder in MEMORY.glob(f"{_PREFIX}*"):
        pid = folder.name.removeprefix(_PREFIX)
        if pid.isdecimal() and (pid == str(os.getpid()) or not Path("/proc", pid).exists()):
            shutil.rmtree(folder, ignore_errors=True)
