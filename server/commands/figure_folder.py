"""Temporary folders for the figures and pages of answers, which last a day or until the next answer after it."""

from __future__ import annotations

import shutil
import stat
import tempfile
import time
from pathlib import Path

PREFIX = "ibid-figures-"
PAGES = "ibid-pages-"
KEPT = 24 * 3600.0
"""Seconds."""


def temporary_folder(prefix: str = PREFIX) -> Path:
    """A new one, for this user alone; those of earlier answers that are older than a day are removed."""
    made = Path(tempfile.mkdtemp(prefix=prefix))
    for other in made.parent.glob(f"{prefix}*"):
        if _is_old(other, made.stat().st_uid):
            shutil.rmtree(other, ignore_errors=True)
    return made


def _is_old(folder: Path, user: int) -> bool:
    try:
        known = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(known.st_mode) and known.st_uid == user and time.time() - known.st_mtime > KEPT
