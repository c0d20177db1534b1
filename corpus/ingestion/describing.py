"""What can be said of a document as a whole without a model: its kind and a title."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from corpus.readers import formats
from corpus.readers.protocol import ReadBlock, ReadDocument

_KINDS = (
    ("Manual", r"manual|handbook|guide|instructions?|handbuch|anleitung|leitfaden|manuel"),
    ("Report", r"reports?|review|bericht|protokoll|rapport"),
    ("Slides", r"slides|presentation|deck|folien|präsentation"),
    ("Paper", r"paper|preprint|proceedings|arxiv"),
)
_FORMATS = (
    ("Slides", formats.SLIDES),
    ("Spreadsheet", formats.SHEETS | formats.TABLES),
    ("Web page", formats.WEB),
    ("Mail", formats.MAIL),
    ("Image", formats.IMAGES),
    ("Code", formats.CODE),
)


def title_of(path: Path, read: ReadDocument) -> str:
    return read.title or re.sub(r"[_\s]+", " ", path.stem).strip() or path.name


def kind_of(path: Path, read: ReadDocument) -> str:
    """One of corpus.documents.DOCUMENT_TYPES: from the format where that says it, else from name and title."""
    suffix = path.suffix.lower()
    for kind, suffixes in _FORMATS:
        if suffix in suffixes:
            return kind
    words = f"{path.stem} {read.title or ''}".lower().replace("_", " ").replace("-", " ")
    for kind, pattern in _KINDS:
        if re.search(rf"(?:\b|(?<=\w))(?:{pattern})\b", words):
            return kind
    if suffix in (".md", ".markdown", ".txt", ".text", ".rst", ".log"):
        return "Note"
    return "Paper" if _reads_like_a_paper(read.blocks) else "Document"


def _reads_like_a_paper(blocks: Sequence[ReadBlock]) -> bool:
    head = " ".join(block.content for block in blocks[:8])
    tail = " ".join((block.heading or "") + " " + block.content[:200] for block in blocks[-200:])
    return bool(
        re.search(r"\babstract\b", head, re.IGNORECASE) and re.search(r"\breferences\b", tail, re.IGNORECASE)
    )
