"""Figures and tables that belong to the text of an answer: those that its best passages refer to or stand beside."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from corpus.access import Caller
from corpus.documents.block import Block
from corpus.index.protocol import Index
from corpus.search import Hit

BEST_TEXTS = 3
MOST_FIGURES = 2
_TABLE = re.compile(r"(?:table|tabelle|tab\.)\s*[A-Z]?\d", re.IGNORECASE)
_LABEL = re.compile(r"\s*([^\W\d]+\.?)\s*(\d+(?:[.-]\d+)*)")


async def illustrated(hits: Sequence[Hit], index: Index, caller: Caller) -> tuple[Hit, ...]:
    """The hits with up to two figures for the best three texts, each right behind its text, best first.

    A figure that a text names comes before one that only stands on the same page. One that was found by itself
    moves up to the text that names it, and never down. The picture of a table that was read gives way to its text.
    """
    ranked = await _read_tables(sorted(hits, key=lambda hit: hit.score, reverse=True), index, caller)
    rank = {hit.block.block_id: n for n, hit in enumerate(ranked)}
    texts = [hit for hit in ranked if hit.block.block_type == "text"][:BEST_TEXTS]
    behind: dict[str, list[Hit]] = {}
    moved: set[str] = set()
    for text in texts:
        for figure, named in await _figures_of(text, index, caller, with_tables=text is texts[0]):
            found = rank.get(figure.block_id)
            stays = found is not None and (found < rank[text.block.block_id] or not named)
            if not stays and figure.block_id not in moved and len(moved) < MOST_FIGURES:
                moved.add(figure.block_id)
                behind.setdefault(text.block.block_id, []).append(replace(text, block=figure))
    kept = [hit for hit in ranked if hit.block.block_id not in moved]
    return tuple(one for hit in kept for one in (hit, *behind.get(hit.block.block_id, ())))


async def _read_tables(ranked: Sequence[Hit], index: Index, caller: Caller) -> list[Hit]:
    """The hits with the text of a table in the place of its picture, each once."""
    found: dict[str, Hit] = {}
    for hit in ranked:
        block = hit.block
        if block.block_type == "image" and _TABLE.match(block.image_caption or "") and block.page_number:
            near = await index.pages(block.doc_id, block.page_number, block.page_number, caller)
            block = _table_of(block, near) or block
        found.setdefault(block.block_id, hit if block is hit.block else replace(hit, block=block))
    return list(found.values())


async def _figures_of(
    hit: Hit, index: Index, caller: Caller, *, with_tables: bool
) -> list[tuple[Block, bool]]:
    """Figures near a text, each with whether the text names it; those that it names first. Of a table that was read its
    text, where the hit names it and `with_tables` is set: whole tables would drown an answer."""
    page = hit.block.page_number
    if page is None:
        return []
    near = await index.pages(hit.block.doc_id, max(1, page - 1), page + 1, caller)
    figures = [(block, names(hit.block.content, block)) for block in near if block.block_type == "image"]
    shown = [
        (_table_of(block, near) or block, named)
        for block, named in figures
        if named or block.page_number == page
    ]
    shown = [
        (block, named) for block, named in shown if block.block_type == "image" or (named and with_tables)
    ]
    return sorted((one for one in shown if one[0].block_id != hit.block.block_id), key=lambda one: not one[1])


def _table_of(figure: Block, near: Sequence[Block]) -> Block | None:
    """The text block that begins with the caption of the figure and holds a table."""
    caption = (figure.image_caption or "").strip()
    same = (one for one in near if one.block_type == "text" and one.page_number == figure.page_number)
    return next(
        (one for one in same if caption and one.content.startswith(caption) and "\n|" in one.content), None
    )


def names(text: str, figure: Block) -> bool:
    """Whether a text says `Figure 3`, or `Fig. 3`, of the figure with that label."""
    label = _LABEL.match(figure.image_caption or "")
    if not label:
        return False
    word, number = label.groups()
    return bool(re.search(rf"\b{re.escape(word[:3])}\w*\.?\s*{re.escape(number)}\b", text, re.IGNORECASE))
