"""Expand hits with the next block, the rest of a table, and figures that belong to their text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from corpus.access import Caller
from corpus.documents.block import Block
from corpus.index.protocol import Index
from corpus.search import Hit
from corpus.synthesis.extractive.parts import is_table_caption

BEST_TEXTS = 3
"""Number of top text hits to expand, about as many as an answer quotes."""
NEAR_PAGES = 5
"""Maximum distance in pages, in either direction, at which a table may continue."""
MAX_TABLE_BLOCKS = 40
"""Maximum number of blocks per table, which limits the time."""
_HEAD = re.compile(r"^(\|.*\|)[ \t]*\n\|[ \t:|-]+\|[ \t]*$", re.MULTILINE)
_CUT = re.compile(r"(?:^[^\S\n]*+(?:[-*+•‣◦▪·–]|\d{1,3}[.)]|\|).*+|[^.!?…。！？\s\"')\]])\s*+\Z", re.MULTILINE)
"""Pattern for a last line that is a list item or a table row, or does not end a sentence."""


async def with_whole_table(hits: Sequence[Hit], index: Index, caller: Caller) -> tuple[Hit, ...]:
    """Insert the other blocks of a table after the best hit that contains it, and return all hits. The other blocks are
    on pages within NEAR_PAGES, and their table has the same header row. Only the first BEST_TEXTS hits are searched for
    a table."""
    best = next((hit for hit in hits[:BEST_TEXTS] if _head(hit.block)), None)
    if best is None:
        return tuple(hits)
    page, head = best.block.page_number, _head(best.block)
    first, last = (max(1, page - NEAR_PAGES), page + NEAR_PAGES) if page else (1, 1)
    near = await index.pages(best.block.doc_id, first, last, caller)
    known = {hit.block.block_id for hit in hits}
    more = [block for block in near if _head(block) == head and block.block_id not in known][:MAX_TABLE_BLOCKS]
    at = hits.index(best) + 1
    return (*hits[:at], *(replace(best, block=block, highlight=None) for block in more), *hits[at:])


def _head(block: Block) -> str | None:
    """Return the header row of the first table in a text block, or None."""
    match = _HEAD.search(block.content) if block.block_type == "text" else None
    return match[1] if match else None


async def with_continuation(hits: Sequence[Hit], index: Index, caller: Caller) -> tuple[Hit, ...]:
    """Insert the next block of the section after each of the first BEST_TEXTS text hits, with the same score, and
    return all hits."""
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
    return tuple(expanded for hit, after in zip(hits, behind, strict=True) for expanded in (hit, after) if expanded)


async def _next(block: Block, index: Index, caller: Caller, pages: dict[tuple[str, int], list[Block]]) -> Block | None:
    """Return the next text block of the section, or None. Return None for a block without a page or a heading unless
    its text is cut off: without pages all blocks must be read, and without headings any block would count as the next
    one."""
    page = block.page_number
    if (page is None or not block.heading) and not _CUT.search(block.content):
        return None
    place = (block.doc_id, page or 1)
    if place not in pages:  # several hits often share a page, and a document without pages is read completely
        blocks = await index.pages(block.doc_id, place[1], place[1] + 1, caller)
        pages[place] = [block for block in blocks if block.block_type == "text"]
    texts = pages[place]
    after = next((at for at, text in enumerate(texts, 1) if text.block_id == block.block_id), len(texts))
    return texts[after] if after < len(texts) and texts[after].heading == block.heading else None


MAX_FIGURES = 2
"""Maximum number of figures added for all texts together."""
_LABEL = re.compile(r"\s*([^\W\d]+\.?)\s*(\d+(?:[.-]\d+)*)")


async def with_figures(hits: Sequence[Hit], index: Index, caller: Caller) -> tuple[Hit, ...]:
    """Return the hits, sorted by score, with up to MAX_FIGURES figures for the first BEST_TEXTS texts, each right after
    its text.

    A figure that a text mentions comes before a figure that is only on the same page. A figure that is itself a hit is
    moved up to the text that mentions it, but never down. The text of a table replaces its picture.
    """
    ranked = await _read_tables(sorted(hits, key=lambda hit: hit.score, reverse=True), index, caller)
    rank = {hit.block.block_id: n for n, hit in enumerate(ranked)}
    texts = [hit for hit in ranked if hit.block.block_type == "text"][:BEST_TEXTS]
    behind: dict[str, list[Hit]] = {}
    moved: set[str] = set()
    for text in texts:
        for figure, is_named in await _figures_of(text, index, caller, with_tables=text is texts[0]):
            place = rank.get(figure.block_id)
            stays = place is not None and (place < rank[text.block.block_id] or not is_named)
            if not stays and figure.block_id not in moved and len(moved) < MAX_FIGURES:
                moved.add(figure.block_id)
                behind.setdefault(text.block.block_id, []).append(replace(text, block=figure))
    kept = [hit for hit in ranked if hit.block.block_id not in moved]
    return tuple(each for hit in kept for each in (hit, *behind.get(hit.block.block_id, ())))


async def _read_tables(ranked: Sequence[Hit], index: Index, caller: Caller) -> list[Hit]:
    """Return the distinct hits, with the text of a table in place of its picture."""
    by_block: dict[str, Hit] = {}
    for hit in ranked:
        block = hit.block
        if block.block_type == "image" and is_table_caption(block.image_caption or "") and block.page_number:
            blocks = await index.pages(block.doc_id, block.page_number, block.page_number, caller)
            block = _table_of(block, blocks) or block
        by_block.setdefault(block.block_id, hit if block is hit.block else replace(hit, block=block))
    return list(by_block.values())


async def _figures_of(hit: Hit, index: Index, caller: Caller, *, with_tables: bool) -> list[tuple[Block, bool]]:
    """Return the figures near a text, each with a flag for whether the text mentions it. Mentioned figures come first.

    The text block of a table replaces its picture only if the hit mentions it and `with_tables` is True, because
    complete tables would swamp an answer.
    """
    page = hit.block.page_number
    if page is None:
        return []
    blocks = await index.pages(hit.block.doc_id, max(1, page - 1), page + 1, caller)
    figures: list[tuple[Block, bool]] = []
    for picture in (block for block in blocks if block.block_type == "image"):
        is_named, block = names(hit.block.content, picture), _table_of(picture, blocks) or picture
        is_near = is_named or picture.page_number == page
        if is_near and (block is picture or (is_named and with_tables)) and block.block_id != hit.block.block_id:
            figures.append((block, is_named))
    return sorted(figures, key=lambda figure: not figure[1])


def _table_of(figure: Block, blocks: Sequence[Block]) -> Block | None:
    """Return the text block of the figure's page that begins with its caption and has a table, or None."""
    caption = (figure.image_caption or "").strip()
    near = (block for block in blocks if block.block_type == "text" and block.page_number == figure.page_number)
    tables = (block for block in near if block.content.startswith(caption) and "\n|" in block.content)
    return next(tables, None) if caption else None


def names(text: str, figure: Block) -> bool:
    """Return whether a text refers to the figure by its label: `Figure 3` or `Fig. 3`."""
    label = _LABEL.match(figure.image_caption or "")
    if not label:
        return False
    word, number = label.groups()
    return bool(re.search(rf"\b{re.escape(word[:3])}\w*\.?\s*{re.escape(number)}\b", text, re.IGNORECASE))
