"""A random name of a local index, so that documents of two folders are told apart on one service."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import tempfile
from pathlib import Path

FILE = "azure-origin"
UNKNOWN = "unknown"
_NAME = re.compile(r"[0-9a-f]{16}")


def origin_of(folder: Path, *, give: bool = True) -> str:
    """The name kept in the folder, with `give` given at the first call; `UNKNOWN` where there is none."""
    file = folder / FILE
    with contextlib.suppress(OSError):
        if give and not file.exists():
            _give(file)
        name = file.read_text(encoding="utf-8", errors="replace").strip()
        return name if _NAME.fullmatch(name) else UNKNOWN
    return UNKNOWN


def _give(file: Path) -> None:
    """Whole or not at all, and only once: of two first calls at the same time, both read what the first wrote."""
    handle, new = tempfile.mkstemp(dir=file.parent)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as made:
            made.write(secrets.token_hex(8))
        with contextlib.suppress(FileExistsError):
            os.link(new, file)
    finally:
        os.unlink(new)
