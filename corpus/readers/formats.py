"""Which files are readable, and by what: by their suffix first, then by what they hold."""

from __future__ import annotations

from pathlib import Path

from corpus.errors import UnreadableDocument
from corpus.readers.files import file_start
from corpus.readers.steps import Reader

PDF = frozenset({".pdf"})
MARKDOWN = frozenset({".md", ".markdown"})
PLAIN_TEXT = frozenset({".txt", ".text", ".rst", ".log"})
WORD = frozenset({".docx"})
SLIDES = frozenset({".pptx", ".pptm"})
SHEETS = frozenset({".xlsx", ".xlsm"})
READABLE = PDF | MARKDOWN | PLAIN_TEXT | WORD | SLIDES | SHEETS
"""Suffixes, in lower case, of the files that can be read."""

_BINARY_STARTS = {
    b"%PDF-": "a PDF",
    b"PK\x03\x04": "a ZIP archive or an office document",
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"\x7fELF": "a program",
    b"MZ\x90": "a program",
    b"\x1f\x8b": "a gzip archive",
    b"\xd0\xcf\x11\xe0": "an old office document",
}


def reader_for(path: Path) -> Reader:
    """The reader of a checked file. UnreadableDocument when the content is not what the name says.

    Readers are imported here, in the reading process, and only as needed.
    """
    suffix = path.suffix.lower()
    if suffix in PDF:
        _expect_pdf(path)
        from corpus.readers.pdf.reader import read_pdf

        return read_pdf
    if suffix in MARKDOWN:
        _expect_text(path)
        from corpus.readers.markdown import read_markdown

        return read_markdown
    if suffix in PLAIN_TEXT:
        _expect_text(path)
        from corpus.readers.plain_text import read_plain_text

        return read_plain_text
    if suffix in WORD:
        from corpus.readers.office.word.reader import read_docx

        return read_docx
    if suffix in SLIDES:
        from corpus.readers.office.slides.reader import read_pptx

        return read_pptx
    if suffix in SHEETS:
        from corpus.readers.office.sheets.reader import read_xlsx

        return read_xlsx
    raise UnreadableDocument(f"files named {suffix or 'without a suffix'} cannot be read")


def _expect_pdf(path: Path) -> None:
    start = file_start(path)
    if b"%PDF-" not in start:  # viewers allow some rubbish before it
        raise UnreadableDocument(f"not a PDF although its name says so{_looks_like(start)}")


def _expect_text(path: Path) -> None:
    found = _looks_like(file_start(path))
    if found:
        raise UnreadableDocument(f"not a text although its name says so{found}")


def _looks_like(start: bytes) -> str:
    for mark, name in _BINARY_STARTS.items():
        if start.startswith(mark):
            return f"; it looks like {name}"
    return ""
