"""A random name of a local index, so that documents of two folders are told apart on one service."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from pathlib import Path

FILE = "azure-origin"
UNKNOWN = "unknown"
_NAME = re.compile(r"[0-9a-f]{16}")


def origin_of(folder: Path) -> str:
    """The name kept in the folder, given at the first call; `UNKNOWN` where none can be kept."""
    file = folder / FILE
    with contextlib.suppress(OSError):
        # Two first calls at the same time: one of them makes the file, both read it.
        with contextlib.suppress(FileExistsError):
            handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="ascii") as made:
                made.write(secrets.token_hex(8))
        name = file.read_text(encoding="utf-8", errors="replace").strip()
        return name if _NAME.fullmatch(name) else UNKNOWN
    return UNKNOWN
