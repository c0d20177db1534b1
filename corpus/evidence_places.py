"""Where a sentence of a block stands: the boxes of its lines, on its page and, where it runs over, on the next one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from corpus.access import Caller
from corpus.blocks import Block, Box
from corpus.index.promise import Index
from corpus.line_boxes import boxes_within
from corpus.verification.spans import sentence_spans

_END = re.compile(r"[.!?:;…][\"'”’»)\]]*\s*$|\|\s*$")
_SAYS = re.compile(r"[^\W\d_]{2}")
_NUMBER = re.compile(r"^[\d.]+\s+")
_LONGEST_TITLE, _SHORTEST_HEADING = 120, 3
_GOES_ON = re.compile(r"[^\W\d_]+")
_ITEM = re.compile(r"[•▪●■◦○‣∙·–*➢➤►✓✔❖◆-]\s")


@dataclass(frozen=True, slots=True)
class PlaceOnPage:
    """`boxes` are in points from the top left corner of the page, one for each line. `text` is what stands there, where
    it is no part of the block."""

    page_number: int
    boxes: tuple[Box, ...]
    text: str = ""


class EvidencePlaces:
    def __init__(self, index: Index) -> None:
        self._index = index

    async def of(self, block: Block, start: int, end: int, caller: Caller) -> tuple[PlaceOnPage, ...]:
        """The part of the block's content between two offsets, and what completes it on the next page. A figure, whose
        words stand nowhere else, and a block whose lines are not known, as of an index made before they were kept, are
        shown whole."""
        if block.page_number is None:
            return ()
        if block.block_type == "image":
            return _whole(block)
        boxes = await self._boxes(block, behind_headings(block, start, end), end, caller)
        if not boxes:
            return _whole(block)
        here = PlaceOnPage(block.page_number, boxes)
        rest = await self._rest(block, end, caller)
        return (here, rest) if rest else (here,)

    async def _boxes(self, block: Block, start: int, end: int, caller: Caller) -> tuple[Box, ...]:
        lines = (await self._index.lines([block.block_id], caller)).get(block.block_id, ())
        return boxes_within(lines, block.content, start, end)

    async def _rest(self, block: Block, end: int, caller: Caller) -> PlaceOnPage | None:
        """Where the last words of a page, without an end, go on at the top of the next: in small letters or behind
        a hyphen."""
        if block.page_number is None or block.content[end:].strip() or _END.search(block.content):
            return None
        page = block.page_number
        around = await self._index.pages(block.doc_id, page, page + 1, caller)
        texts = [one for one in around if one.block_type == "text" and _SAYS.search(one.content)]
        after = next((one for one in texts if one.page_number == page + 1), None)
        last = next((one for one in reversed(texts) if one.page_number == page), None)
        if after is None or last is None or last.block_id != block.block_id or not _goes_on(block, after):
            return None
        first = next(sentence_spans(after.content, after.language), None)
        boxes = await self._boxes(after, *first, caller) if first else ()
        return PlaceOnPage(page + 1, boxes, after.content[slice(*first)].strip()) if first and boxes else None


def _whole(block: Block) -> tuple[PlaceOnPage, ...]:
    if block.page_number is None or block.bbox is None:
        return ()
    return (PlaceOnPage(block.page_number, (block.bbox,)),)


def within_content(block: Block, start: int, end: int) -> tuple[int, int]:
    """Two offsets into what a source says of this block, caption and content, as offsets into the content: 0 and 0 for
    a figure, and where the caption holds them, for then the block is shown whole."""
    before = len(block.image_caption) + len("\n\n") if block.image_caption else 0
    if block.block_type == "image" or start < before:
        return 0, 0
    return start - before, min(end - before, len(block.content))


def behind_headings(block: Block, start: int, end: int) -> int:
    """Where a sentence begins that is told with the headings above it: behind the last line that is a heading of the
    block, where all lines before it are headings or look like a title."""
    path = (block.heading or "").casefold()
    last = start + len(block.content[start:end].rstrip())
    at = start
    while path and (newline := block.content.find("\n", at, last)) >= 0:
        line = block.content[at:newline].strip()
        at = newline + 1
        if _is_heading(line, path):
            start = at
        elif len(line) > _LONGEST_TITLE or _END.search(line):
            break
    return start


def _is_heading(line: str, path: str) -> bool:
    """With its number or without."""
    plain = _NUMBER.sub("", line.casefold())
    return line.casefold() in path or (len(plain) >= _SHORTEST_HEADING and plain in path)


def _goes_on(block: Block, after: Block) -> bool:
    """Whether a word is parted, or the next page begins within a sentence. An item of a list needs no full stop, and a
    name may begin with a small letter (iPhone)."""
    if block.content.rstrip().endswith("-"):
        return True
    first = _GOES_ON.match(after.content)
    last = block.content.rstrip().rpartition("\n")[2]
    return first is not None and first[0].islower() and not _ITEM.match(last)
