"""Maintenance of an index by its owner: check it, rebuild its derived parts, export and import it.

This module manages the temporary folder of an import and removes what a killed import left there.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from corpus.processes.locks import acquire

STAGING = ".import-"
IMPORT_LOCK = "import.lock"


def clear_leftovers(folder: Path) -> None:
    """Remove the files of a killed import. Do nothing while an import is running or if the folder is read-only."""
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
    """Remove the files. The caller must hold the lock."""
    for staging in folder.glob(f"{STAGING}*"):
        shutil.rmtree(staging, ignore_errors=True)
