"""Places of a page's lines within the contents of its blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from corpus.blocks import Box
from corpus.line_boxes import LineBox
from corpus.readers.pdf.hyphens import Words, join, without_mark
from corpus.readers.pdf.paragraphs import Paragraph
from corpus.text import clean


def lines_of_parts(parts: Sequence[Paragraph], content: str) -> tuple[LineBox, ...]:
    """Line boxes of a block whose content consists of these paragraphs, each on lines of its own."""
    joined = "\n".join(part.text for part in parts)
    cleaned = clean(joined)
    lead = len(cleaned) - len(cleaned.lstrip("\n"))
    places = range(len(joined) + 1) if cleaned == joined else _places(joined)
    lines, offset = [], 0
    for part in parts:
        ends = [*(start for start, _ in part.pieces[1:]), len(part.text)]
        for (start, box), end in zip(part.pieces, ends, strict=True):
            first, last = (places[min(offset + place, len(joined))] for place in (start, max(start, end)))
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
    for text, written in pieces:
        at = content.find(text, place) if text else -1
        if at < 0:
            continue
        place = at + len(text)
        lines += _lines_of_piece(written, at, place, words)
    return tuple(lines)


def _lines_of_piece(written: Sequence[tuple[str, Box]], at: int, end: int, words: Words) -> Iterator[LineBox]:
    text, starts = "", []
    for line, _ in written:
        text = join(text, line.strip(), words)
        starts.append(max(0, len(without_mark(text)) - len(line.strip())))
    for number, (_, box) in enumerate(written):
        first = at + starts[number]
        last = at + starts[number + 1] if number + 1 < len(written) else end
        if first < min(last, end):
            yield LineBox(first, min(last, end), box)
