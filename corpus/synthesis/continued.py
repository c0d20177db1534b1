"""Text that goes on in the next block: a list, a table or a sentence is cut where a block or a page ends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from corpus.access import Caller
from corpus.documents.block import Block
from corpus.index.protocol import Index
from corpus.search import Hit

BEST_TEXTS = 3
NEAR_PAGES = 5
"""Pages on either side on which a table may go on."""
MAX_TABLE_BLOCKS = 40
_HEAD = re.compile(r"^(\|.*\|)[ \t]*\n\|[ \t:|-]+\|[ \t]*$", re.MULTILINE)
_CUT = re.compile(
    r"(?:^[^\S\n]*+(?:[-*+•‣◦▪·–]|\d{1,3}[.)]|\|).*+|[^.!?…。！？\s\"')\]])\s*+\Z", re.MULTILINE
)
"""A last line that is an item or a row, or ends no sentence."""


async def with_whole_table(hits: Sequence[Hit], index: Index, caller: Caller) -> tuple[Hit, ...]:
    """The hits, behind the best one that holds a table all blocks of its document that hold more rows of it."""
    best = next((hit for hit in hits[:BEST_TEXTS] if _head(hit.block)), None)
    if best is None:
        return tuple(hits)
    page, head = best.block.page_number, _head(best.block)
    first, last = (max(1, page - NEAR_PAGES), page + NEAR_PAGES) if page else (1, 1)
    near = await index.pages(best.block.doc_id, first, last, caller)
    known = {hit.block.block_id for hit in hits}
    more = [block for block in near if _head(block) == head and block.block_id not in known][
        :MAX_TABLE_BLOCKS
    ]
    at = hits.index(best) + 1
    return (*hits[:at], *(replace(best, block=block, highlight=None) for block in more), *hits[at:])


def _head(block: Block) -> str | None:
    """The first row of the first table in a block."""
    match = _HEAD.search(block.content) if block.block_type == "text" else None
    return match[1] if match else None


async def continued(hits: Sequence[Hit], index: Index, caller: Caller) -> tuple[Hit, ...]:
    """The hits, behind each of the best three texts the block that it goes on in, with the score of the text."""
    texts = [hit for hit in hits if hit.block.block_type == "text"][:BEST_TEXTS]
    known = {hit.block.block_id for hit in hits}
    following: dict[str, Hit] = {}
    pages: dict[tuple[str, int], list[Block]] = {}
    for hit in texts:
        block = await _next(hit.block, index, caller, pages)
        if block and block.block_id not in known:
            known.add(block.block_id)
            following[hit.block.block_id] = replace(hit, block=block, highlight=None)
    behind = (following.get(hit.block.block_id) for hit in hits)
    return tuple(one for hit, after in zip(hits, behind, strict=True) for one in (hit, after) if one)


async def _next(
    block: Block, index: Index, caller: Caller, pages: dict[tuple[str, int], list[Block]]
) -> Block | None:
    """The next block of the section. Without pages all blocks are read for it, and without headings anything would
    follow: then only where the text is cut."""
    page = block.page_number
    if (page is None or not block.heading) and not _CUT.search(block.content):
        return None
    place = (block.doc_id, page or 1)
    if place not in pages:  # several hits are often on one page, and a document without pages is read whole
        near = await index.pages(block.doc_id, place[1], place[1] + 1, caller)
        pages[place] = [one for one in near if one.block_type == "text"]
    texts = pages[place]
    after = next((n for n, one in enumerate(texts, 1) if one.block_id == block.block_id), len(texts))
    return texts[after] if after < len(texts) and texts[after].heading == block.heading else None
