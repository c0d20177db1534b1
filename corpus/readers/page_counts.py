"""Count a file's pages before it is read, opening only what tells their number."""

from __future__ import annotations

import re
from pathlib import Path

from corpus.readers.archives import opened_archive
from corpus.readers.formats import PDF, SHEETS, SLIDES, WORD

BOOKS = frozenset({".epub"})
COUNTED = PDF | SLIDES | WORD | SHEETS | BOOKS | {".odt", ".ott", ".odp", ".otp"}
"""Suffixes of files whose pages a process must count; other files are estimated by size."""

_PART = re.compile(
    r"ppt/slides/slide\d+\.xml|word/document\.xml|xl/(?:worksheets/[^/]*|sharedStrings)\.xml|content\.xml|.*\.x?html?"
)
_MARKUP_BYTES = 20_000
"""Bytes of XML per page of 3,000 characters in a Word file, mostly formatting."""
_BOOK_BYTES = 3_700
"""Bytes of XHTML per such page in a book."""


def page_count(path: Path) -> int:
    """Count a checked file's pages: exact for PDFs and slides, else estimated by the size of its text. Raises
    UnreadableDocument."""
    suffix = path.suffix.lower()
    if suffix in PDF:
        from corpus.readers.pdf.document import open_pdf

        with open_pdf(path) as document:
            return len(document)
    with opened_archive(path, "an office document", definitions=True) as archive:
        parts = [part.file_size for part in archive.infolist() if _PART.fullmatch(part.filename)]
    if suffix in SLIDES:
        return max(1, len(parts))
    return max(1, round(sum(parts) / (_BOOK_BYTES if suffix in BOOKS else _MARKUP_BYTES)))
