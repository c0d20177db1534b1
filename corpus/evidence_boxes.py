"""Find the boxes of a sentence in a block: its lines on the page and, if the sentence continues, on the next page.

This module also finds where the running text of a page starts and ends.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.access import Caller
from corpus.documents.block import Block, Box
from corpus.documents.headings import ENDED, behind_headings
from corpus.documents.line_boxes import LineBox, boxes_within
from corpus.index.protocol import Index
from corpus.text.sentences import sentence_spans

_NUMBER_BELOW = re.compile(r"(?<!\s)\s*\n[^\w\n]*+(?:\d{1,4}|[ivxlc]{1,6})[^\w\n]*+\s*+\Z")
_SENTENCE_END = re.compile(r"[.!?:;…|,\-][\"'”’»)\]]*\s*\Z")
_MAX_HEADER = 60
"""Maximum length of a header line in characters. Longer lines count as text."""
_LOWER = re.compile(r"[^\W\d_]+")


def text_end(content: str) -> int:
    """Return the offset at which the text ends, which is before a page number at the bottom."""
    number = _NUMBER_BELOW.search(content)
    return number.start() if number else len(content.rstrip())


def text_begin(content: str) -> int:
    """Return the offset at which the text starts, which is after a header, if there is one. A header is a short line
    without final punctuation, followed by a lower-case word."""
    header, newline, rest = content.partition("\n")
    if not newline or len(header) > _MAX_HEADER or _SENTENCE_END.search(header) or begins_within(header):
        return 0
    return len(header) + 1 if begins_within(rest) else 0


def begins_within(text: str) -> bool:
    """Return whether the text starts mid-sentence, that is, with a word in lower case. A name may start with a
    lower-case letter (iPhone), so all of its letters are checked."""
    first = _LOWER.match(text)
    return first is not None and first[0].islower()


_SAYS = re.compile(r"[^\W\d_]{2}")
_FULL = 0.6
"""Minimum length of a full line, as a fraction of the longest line. A line is full if the next word did not fit on
it."""


@dataclass(frozen=True, slots=True)
class PlaceOnPage:
    """A location on a page. `boxes` contains one box per line, in points from the top left corner. `text` is the text
    at this location if it is not part of the block."""

    page_number: int
    boxes: tuple[Box, ...]
    text: str = ""


class EvidencePlaces:
    """Finds the boxes of evidence from one index."""

    def __init__(self, index: Index) -> None:
        self._index = index

    async def of(self, block: Block, start: int, end: int, caller: Caller) -> tuple[PlaceOnPage, ...]:
        """Return the boxes of the content between two offsets, and those of its continuation on the next page.

        For figures, and for blocks from older indexes without line boxes, return the box of the entire block.
        """
        if block.page_number is None:
            return ()
        if block.block_type == "image":
            return _whole(block)
        boxes = await self._boxes(block, behind_headings(block.content, block.heading, start, end), end, caller)
        if not boxes:
            return _whole(block)
        here = PlaceOnPage(block.page_number, boxes)
        rest = await self._rest(block, end, caller)
        return (here, rest) if rest else (here,)

    async def _boxes(self, block: Block, start: int, end: int, caller: Caller) -> tuple[Box, ...]:
        lines = (await self._index.lines([block.block_id], caller)).get(block.block_id, ())
        return boxes_within(lines, block.content, start, end)

    async def _rest(self, block: Block, end: int, caller: Caller) -> PlaceOnPage | None:
        """Return the continuation of the page's last sentence at the top of the next page, or None if it does not
        continue there."""
        last_end = text_end(block.content)
        if block.page_number is None or end < last_end or ENDED.search(block.content[:last_end]):
            return None
        page = block.page_number
        around = await self._index.pages(block.doc_id, page, page + 1, caller)
        texts = [near for near in around if near.block_type == "text" and _SAYS.search(near.content)]
        after = next((near for near in texts if near.page_number == page + 1), None)
        last = next((near for near in reversed(texts) if near.page_number == page), None)
        if after is None or last is None or last.block_id != block.block_id:
            return None
        lines = await self._index.lines([block.block_id, after.block_id], caller)
        below, above = lines.get(block.block_id, ()), lines.get(after.block_id, ())
        if not _goes_on(block.content[:last_end], below, after.content, above):
            return None
        begin = text_begin(after.content)
        first = next(sentence_spans(after.content[begin:], after.language), None)
        if first is None:
            return None
        span = begin + first[0], begin + first[1]
        boxes = boxes_within(above, after.content, *span)
        return PlaceOnPage(page + 1, boxes, after.content[slice(*span)]) if boxes else None


def _whole(block: Block) -> tuple[PlaceOnPage, ...]:
    if block.page_number is None or block.bbox is None:
        return ()
    return (PlaceOnPage(block.page_number, (block.bbox,)),)


def within_content(block: Block, start: int, end: int) -> tuple[int, int]:
    """Convert offsets into a source's text (caption and content) to offsets into the content. Return (0, 0) for figures
    and captions, for which the entire block is outlined."""
    before = len(block.image_caption) + len("\n\n") if block.image_caption else 0
    if block.block_type == "image" or start < before:
        return 0, 0
    return start - before, min(end - before, len(block.content))


def _goes_on(before: str, below: Sequence[LineBox], after: str, above: Sequence[LineBox]) -> bool:
    """Return whether the text continues on the next page: a word is hyphenated, or the next page starts mid-sentence
    and the last line is full. List items, headings and cells lack a full stop, but end with a short line."""
    if before.endswith("-"):
        return True
    return begins_within(after[text_begin(after) :]) and _is_full(below, len(before), above)


def _is_full(below: Sequence[LineBox], end: int, above: Sequence[LineBox]) -> bool:
    """Return whether the last line is about as long as the longest line on the next page."""
    lines = [line for line in below if line.start < end]
    last = _lengths([line for line in lines if line.box[1] == lines[-1].box[1]])
    return bool(last) and max(last) >= _FULL * max(_lengths(above), default=0.0)


def _lengths(lines: Sequence[LineBox]) -> list[float]:
    """Return the length of each line. Boxes at the same height belong to one line."""
    heights = {line.box[1] for line in lines}
    rows = [[line.box for line in lines if line.box[1] == height] for height in heights]
    return [max(box[2] for box in row) - min(box[0] for box in row) for row in rows]
