"""Common parts of the layout benches: labels of one kind, pages of the corpora, and the overlap of two boxes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bench.layout import LABELS
from corpus.documents.block import Box
from corpus.readers.pdf.pages import Page, read_page
from corpus.readers.pdf.pdf_file import open_pdf
from corpus.readers.pdf.text.lines import Words

ENOUGH = 0.5
"""Minimum intersection over union at which a box counts as matching the labelled box."""

Label = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Looked:
    """A document of which all pages have been read, and the words in it."""

    pages: list[Page]
    words: Words


@cache
def looked(path: Path) -> Looked:
    """Read all pages of the document, as the reader does."""
    words = Words()
    with open_pdf(path) as document:
        pages = [read_page(document, number) for number in range(1, len(document) + 1)]
    for page in pages:
        for line in page.lines:
            words.see(line.text)
    return Looked(pages, words)


@cache
def page_of(path: Path, number: int) -> Page:
    """Read a single page, for long documents with few labelled pages."""
    with open_pdf(path) as document:
        return read_page(document, number)


def labels(name: str) -> list[Label]:
    """Return the labels in a file, one per line."""
    return [json.loads(line) for line in (LABELS / f"{name}.jsonl").read_text("utf-8").splitlines()]


def agreement(one: Box, other: Sequence[float]) -> float:
    """Return the intersection over union of two boxes, 0 to 1."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    common = max(0.0, across) * max(0.0, down)
    both = (one[2] - one[0]) * (one[3] - one[1]) + (other[2] - other[0]) * (other[3] - other[1]) - common
    return common / both if both else 0.0


def starts_alike(text: str | None, start: str | None) -> bool:
    """Return whether a text starts with the labelled words, comparing only alphanumeric characters."""
    return not start or _bare(text or "").startswith(_bare(start))


def _bare(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())
