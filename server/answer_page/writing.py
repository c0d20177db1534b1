"""The page as a file, written as a whole."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from server.answer_page.page import GENERATOR

_LOOKED_AT = 1_000


def is_ours(file: Path) -> bool:
    """Whether the file is a page of ours. Raises OSError."""
    with file.open("rb") as opened:
        return GENERATOR.encode() in opened.read(_LOOKED_AT)


def write_page(file: Path, text: str) -> None:
    """In one step: whoever reads the file meanwhile sees the old one or the new one. Raises OSError."""
    handle, name = tempfile.mkstemp(prefix=".ibid-", suffix=".html", dir=file.absolute().parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as out:
            out.write(text)
        os.replace(name, file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
