"""A document without searchable text has a warning, whatever its format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import docx
import pytest

from corpus.readers.sandbox.main import NOTHING_FOUND
from corpus.readers.sandbox.pool import ReadingProcesses
from tests.readers.pdfs import drawn, lines

EMPTY: dict[str, Callable[[Path], object]] = {
    "a.pdf": lambda path: drawn(path, lines(), lines()),
    "a.md": lambda path: path.write_text("   \n\n"),
    "a.html": lambda path: path.write_text("<html><body></body></html>"),
    "a.csv": lambda path: path.write_text("\n\n"),
    "a.docx": lambda path: docx.Document().save(str(path)),
}


@pytest.mark.anyio
@pytest.mark.parametrize("name", EMPTY)
async def test_an_empty_document_says_so(tmp_path: Path, name: str) -> None:
    EMPTY[name](tmp_path / name)
    (tmp_path / "full.txt").write_text("Something to read.")
    async with ReadingProcesses() as reading:
        assert (await reading.read(tmp_path / name)).warnings == (NOTHING_FOUND,)
        assert (await reading.read(tmp_path / "full.txt")).warnings == ()
