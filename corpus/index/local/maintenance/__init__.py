"""Maintenance of an index by its keeper: check it, rebuild its derived parts, export and import it.

Here: the folder in which an import works, and what a killed import leaves of it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from corpus.processes.locks import acquire

STAGING = ".import-"
IMPORT_LOCK = "import.lock"


def clear_leftovers(folder: Path) -> None:
    """Remove what a killed import left; nothing while an import is at work or where the folder cannot be written."""
    if not any(folder.glob(f"{STAGING}*")):
        return
    try:
        lock = acquire(folder / IMPORT_LOCK)
    except OSError:
        return
    if lock is not None:
        try:
            clear(folder)
        finally:
            lock.release()


def clear(folder: Path) -> None:
    """The caller holds the lock."""
    for staging in folder.glob(f"{STAGING}*"):
        shutil.rmtree(staging, ignore_errors=True)
