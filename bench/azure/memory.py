"""Resident memory of a process, as Linux tells it."""

from __future__ import annotations

import os
from pathlib import Path


def resident(process: int | None = None) -> float:
    """In MB, of this process unless another is named."""
    pages = int(Path(f"/proc/{process or 'self'}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
