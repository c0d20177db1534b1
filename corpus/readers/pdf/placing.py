"""Order of a page's blocks, and offsets of its texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from corpus.readers.pdf.figures import Figure
from corpus.readers.protocol import ReadBlock

_BETWEEN = "\n\n"

Float = tuple[int, list[ReadBlock]]
"""The index of the line at which a figure or table stands, and its blocks."""


def placed(texts: Iterable[tuple[int, ReadBlock]], floats: Iterable[Float]) -> Iterator[ReadBlock]:
    """Yield each text behind the floats before its first line, with offsets.

    Offsets count characters of the page's text: the contents of its text blocks, tables included, in this order,
    with an empty line between.
    """
    place = 0
    for block in _in_page_order(texts, floats):
        if block.block_type != "text":
            yield block
            continue
        end = place + len(block.content)
        yield replace(block, char_start=place, char_end=end)
        place = end + len(_BETWEEN)


def _in_page_order(texts: Iterable[tuple[int, ReadBlock]], floats: Iterable[Float]) -> Iterator[ReadBlock]:
    pending = sorted(floats, key=lambda each: each[0])
    for first, block in texts:
        while pending and pending[0][0] < first:
            yield from pending.pop(0)[1]
        yield block
    for _, blocks in pending:
        yield from blocks


def without(running_lines: set[int], figure: Figure) -> Figure:
    """The figure without running headers and footers that its region took in. `running_lines` are line indexes."""
    inside = tuple(index for index in figure.inside if index not in running_lines)
    title = tuple(index for index in figure.title if index not in running_lines)
    return replace(figure, inside=inside, title=title)


def line_of(figure: Figure) -> int:
    """Index of the line at which a figure stands: its caption, else its first line."""
    caption = figure.caption
    return caption.first if caption else min(figure.inside, default=0)
