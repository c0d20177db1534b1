"""Write the page to a file, as a whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

_LOOKED_AT = 1_000
_MARK = b'<meta name="generator" content="ibid '


def is_ours(file: Path) -> bool:
    """Whether the file is a page of ours: an answer or a report. Raises OSError."""
    with file.open("rb") as opened:
        return _MARK in opened.read(_LOOKED_AT)


def generator(what: str) -> str:
    """The tag by which a page of ours is known again."""
    return f'<meta name="generator" content="ibid {what}">'


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
