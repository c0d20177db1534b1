"""Blocks of text from the paragraphs of a page: small neighbours together, long ones cut, headings on top."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from corpus.readers.pdf.paragraphs import Paragraph, cut
from corpus.readers.pdf.shown import union
from corpus.readers.promise import ReadBlock
from corpus.readers.sizes import AIM, MOST
from corpus.text import clean

_SMALL = 300


@dataclass(slots=True)
class Section:
    """Paragraphs of one page under one heading path; the first `headings` of them are headings."""

    heading: str | None
    start: int = 0
    """Index of its first line on the page."""

    paragraphs: list[Paragraph] = field(default_factory=list)
    headings: int = 0
    is_notes: bool = False
    """Whether it holds the footnotes of the page."""


def text_blocks(sections: list[Section], page_number: int, label: str | None) -> Iterator[ReadBlock]:
    """The blocks of a page in order."""
    number = 0
    for section in sections:
        for parts in _packed(section.paragraphs):
            content = clean("\n".join(part.text for part in parts)).strip()
            if not content:
                continue
            number += 1
            yield ReadBlock(
                place=f"p{page_number}-{number}",
                block_type="text",
                content=content,
                page_number=page_number,
                page_label=label,
                heading=section.heading,
                bbox=union([part.box for part in parts]),
            )


def _packed(paragraphs: list[Paragraph]) -> Iterator[list[Paragraph]]:
    """Parts in runs of a block's size; a small part goes with its neighbour if it fits at all."""
    run: list[Paragraph] = []
    length = 0
    for part in (part for paragraph in paragraphs for part in cut(paragraph)):
        size = len(part.text) + 1
        if run and length + size > (MOST if min(length, size) < _SMALL else AIM):
            yield run
            run, length = [], 0
        run.append(part)
        length += size
    if run:
        yield run
