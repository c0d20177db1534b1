"""Resident memory of a process on Linux."""

from __future__ import annotations

import os
from pathlib import Path


def resident(process: int | None = None) -> float:
    """Return the resident memory of a process in MB; the default is this process."""
    pages = int(Path(f"/proc/{process or 'self'}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
