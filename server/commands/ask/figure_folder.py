"""Temporary folders for the figures and pages of answers: the newest few are kept, for a day at most."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PREFIX = "ibid-figures-"
PAGES = "ibid-pages-"
KEPT = 24 * 3600.0
"""Seconds."""
MAX_FOLDERS = 5
"""Enough to compare the last answers; a script that asks a hundred questions leaves no hundred folders."""


def temporary_folder(prefix: str = PREFIX) -> Path:
    """Create a folder that only this user can open. Remove this user's older ones, beyond a day or MAX_FOLDERS."""
    created = Path(tempfile.mkdtemp(prefix=prefix))
    user = created.stat().st_uid
    others = [(known.st_mtime, path) for path, known in _folders(created.parent, prefix) if known.st_uid == user]
    newest_first = sorted((entry for entry in others if entry[1] != created), reverse=True)
    for number, (mtime, folder) in enumerate(newest_first, 2):
        if number > MAX_FOLDERS or time.time() - mtime > KEPT:
            shutil.rmtree(folder, ignore_errors=True)
    return created


def _folders(parent: Path, prefix: str) -> Iterator[tuple[Path, os.stat_result]]:
    for path in parent.glob(f"{prefix}*"):
        with suppress(OSError):
            known = path.lstat()
            if stat.S_ISDIR(known.st_mode):
                yield path, known
