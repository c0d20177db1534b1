"""Text blocks from the paragraphs of a page: short neighbours merged, long paragraphs cut, headings on top."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from corpus.readers.pdf.line_places import lines_of_parts
from corpus.readers.pdf.paragraphs import Paragraph, cut
from corpus.readers.pdf.shown import union
from corpus.readers.protocol import ReadBlock
from corpus.readers.sizes import AIM, MOST
from corpus.text import clean

_MIN_BLOCK = 300  # Characters; a shorter block says too little to be found or cited on its own.


@dataclass(slots=True)
class Section:
    """Paragraphs of one page under one heading path; the first `headings` of them are headings."""

    heading: str | None
    start: int = 0  # Index of its first line on the page.
    paragraphs: list[Paragraph] = field(default_factory=list)
    headings: int = 0
    is_notes: bool = False  # Whether it holds the page's footnotes.


def text_blocks(
    sections: list[Section], page_number: int, label: str | None, floats: Sequence[int] = ()
) -> Iterator[tuple[int, ReadBlock]]:
    """Yield the blocks of a page in order, each with the index of its first line. A block boundary is preferred at
    the lines `floats`, where figures and tables stand."""
    number = 0
    for section in sections:
        for parts in _block_parts(section.paragraphs, floats):
            content = clean("\n".join(part.text for part in parts)).lstrip("\n").rstrip()
            if not content:
                continue
            number += 1
            yield (
                parts[0].first,
                ReadBlock(
                    place=f"p{page_number}-{number}",
                    block_type="text",
                    content=content,
                    page_number=page_number,
                    page_label=label,
                    heading=section.heading,
                    bbox=union([part.box for part in parts]),
                    lines=lines_of_parts(parts, content),
                ),
            )


def _block_parts(paragraphs: list[Paragraph], floats: Sequence[int]) -> Iterator[list[Paragraph]]:
    """Runs of parts of a block's size. A short part joins its neighbour if it fits at all."""
    run: list[Paragraph] = []
    length = 0
    parts = [part for paragraph in paragraphs for part in cut(paragraph)]
    left = sum(len(part.text) + 1 for part in parts)
    for part in parts:
        size = len(part.text) + 1
        parted = min(length, left) >= _MIN_BLOCK and any(
            run[-1].first < place <= part.first for place in floats
        )
        if run and (parted or length + size > (MOST if min(length, size) < _MIN_BLOCK else AIM)):
            yield run
            run, length = [], 0
        run.append(part)
        length += size
        left -= size
    if run:
        yield run
