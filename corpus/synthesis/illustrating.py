"""Figures that belong to the text of an answer: those that its best passages refer to or stand beside."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from corpus.access import Caller
from corpus.blocks import Block
from corpus.index.promise import Index
from corpus.search import Hit

BEST_TEXTS = 3
MOST_FIGURES = 2
_LABEL = re.compile(r"\s*([^\W\d]+\.?)\s*(\d+(?:[.-]\d+)*)")


async def illustrated(hits: Sequence[Hit], index: Index, caller: Caller) -> tuple[Hit, ...]:
    """The hits with up to two figures for the best three texts, each right behind its text.

    A figure that was found by itself keeps its place. One that the text names comes before one that only stands
    on the same page.
    """
    ranked = sorted(hits, key=lambda hit: hit.score, reverse=True)
    there = {hit.block.block_id for hit in ranked}
    added: dict[str, list[Hit]] = {}
    for hit in [hit for hit in ranked if hit.block.block_type == "text"][:BEST_TEXTS]:
        for figure in await _figures_of(hit, index, caller):
            if figure.block_id not in there and sum(map(len, added.values())) < MOST_FIGURES:
                there.add(figure.block_id)
                added.setdefault(hit.block.block_id, []).append(replace(hit, block=figure))
    return tuple(one for hit in ranked for one in (hit, *added.get(hit.block.block_id, ())))


async def _figures_of(hit: Hit, index: Index, caller: Caller) -> list[Block]:
    page = hit.block.page_number
    if page is None:
        return []
    near = await index.pages(hit.block.doc_id, max(1, page - 1), page + 1, caller)
    figures = [block for block in near if block.block_type == "image"]
    named = [block for block in figures if _names(hit.block.content, block)]
    beside = [block for block in figures if block not in named and block.page_number == page]
    return [*named, *beside]


def _names(text: str, figure: Block) -> bool:
    """Whether the text says `Figure 3`, or `Fig. 3`, of the figure with that label."""
    label = _LABEL.match(figure.image_caption or "")
    if not label:
        return False
    word, number = label.groups()
    return bool(re.search(rf"\b{re.escape(word[:3])}\w*\.?\s*{re.escape(number)}\b", text, re.IGNORECASE))
