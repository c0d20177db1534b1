"""The blocks of a page put together: figures and tables where they stand, and the place of each text on the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from corpus.readers.pdf.figures import Figure
from corpus.readers.protocol import ReadBlock

_BETWEEN = "\n\n"

Float = tuple[int, list[ReadBlock]]
"""The index of the line at which a figure or table stands, and its blocks."""


def placed(texts: Iterable[tuple[int, ReadBlock]], floats: Iterable[Float]) -> Iterator[ReadBlock]:
    """Each text after the floats that stand before its first line, with its offsets.

    They count characters of the page's text as it is given to a reader of the document: the contents of its text
    blocks, those of tables too, in this order with an empty line between two.
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
    """The figure without the headers and footers that its region has taken in, by the indexes of their lines."""
    inside = tuple(index for index in figure.inside if index not in running_lines)
    title = tuple(index for index in figure.title if index not in running_lines)
    return replace(figure, inside=inside, title=title)


def line_of(figure: Figure) -> int:
    """The index of the line at which a figure stands: its caption, else the first line within it."""
    caption = figure.caption
    return caption.first if caption else min(figure.inside, default=0)
