"""Text blocks from the paragraphs of a page: short neighbours merged, long paragraphs cut, headings on top."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from corpus.documents.block import Box
from corpus.documents.line_boxes import LineBox
from corpus.readers.chunking import MAX_BLOCK, TARGET_BLOCK
from corpus.readers.pdf.page_geometry import union
from corpus.readers.pdf.text.hyphenation import Words, join, without_mark
from corpus.readers.pdf.text.paragraphs import Paragraph, split_paragraph
from corpus.readers.protocol import ReadBlock
from corpus.text.normalization import clean


def lines_of_parts(parts: Sequence[Paragraph], content: str) -> tuple[LineBox, ...]:
    """Line boxes of a block whose content consists of these paragraphs, each on lines of its own."""
    text = "\n".join(part.text for part in parts)
    clean_text = clean(text)
    lead = len(clean_text) - len(clean_text.lstrip("\n"))
    places = range(len(text) + 1) if clean_text == text else _places(text)
    lines, offset = [], 0
    for part in parts:
        ends = [*(start for start, _ in part.pieces[1:]), len(part.text)]
        for (start, box), end in zip(part.pieces, ends, strict=True):
            first, last = (places[min(offset + place, len(text))] for place in (start, max(start, end)))
            lines.append(LineBox(max(0, first - lead), min(len(content), max(0, last - lead)), box))
        offset += len(part.text) + 1
    return tuple(line for line in lines if line.start < line.end)


def _places(text: str) -> list[int]:
    """For each offset the length of the text before it once cleaned; a line end of two characters counts as one."""
    lengths = (
        0 if char == "\n" and before == "\r" else len(clean(char))
        for before, char in zip(f" {text}", text, strict=False)
    )
    return list(accumulate(lengths, initial=0))


Piece = tuple[str, tuple[tuple[str, Box], ...]]
"""Text of a cell or caption as it stands in a block, and its lines with their boxes."""


def lines_of_pieces(pieces: Iterator[Piece], content: str, words: Words) -> tuple[LineBox, ...]:
    """Line boxes of a block that holds these pieces in this order. Missing pieces are skipped."""
    lines: list[LineBox] = []
    place = 0
    for text, its_lines in pieces:
        at = content.find(text, place) if text else -1
        if at < 0:
            continue
        place = at + len(text)
        lines += _lines_of_piece(its_lines, at, place, words)
    return tuple(lines)


def _lines_of_piece(its_lines: Sequence[tuple[str, Box]], at: int, end: int, words: Words) -> Iterator[LineBox]:
    text, starts = "", []
    for line, _ in its_lines:
        text = join(text, line.strip(), words)
        starts.append(max(0, len(without_mark(text)) - len(line.strip())))
    for number, (_, box) in enumerate(its_lines):
        first = at + starts[number]
        last = at + starts[number + 1] if number + 1 < len(its_lines) else end
        if first < min(last, end):
            yield LineBox(first, min(last, end), box)


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
    parts = [part for paragraph in paragraphs for part in split_paragraph(paragraph)]
    remaining = sum(len(part.text) + 1 for part in parts)
    for part in parts:
        size = len(part.text) + 1
        is_at_float = min(length, remaining) >= _MIN_BLOCK and any(
            run[-1].first < place <= part.first for place in floats
        )
        if run and (is_at_float or length + size > (MAX_BLOCK if min(length, size) < _MIN_BLOCK else TARGET_BLOCK)):
            yield run
            run, length = [], 0
        run.append(part)
        length += size
        remaining -= size
    if run:
        yield run
