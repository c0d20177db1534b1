"""The same passage once more: what several versions of a document say word for word takes one of the first places.

Only whole agreement counts. Versions that differ in a number or in a "not" are what a reader has to see.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from corpus.markdown import within_line
from corpus.search import Hit

MIN_REPEAT_WORDS = 12
"""A passage this long that stands within another one says nothing new; a shorter one may stand there by chance."""

MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Deduplicated:
    """Row ids, best first: what is shown, the last `again` of which repeat others; and repeats without a place."""

    shown: tuple[int, ...]
    again: int = 0
    left_out: tuple[int, ...] = ()


def deduplicated(connection: sqlite3.Connection, ranked: Sequence[int], wanted: int) -> Deduplicated:
    """The first `wanted` of the blocks that do not repeat one before them. Repeats get the places that remain."""
    distinct: list[int] = []
    repeats: list[int] = []
    texts: list[tuple[str, str]] = []
    step = max(1, wanted + wanted // 2)
    for start in range(0, len(ranked), step):
        some = ranked[start : start + step]
        words = _words(connection, some)
        for block in some:
            if len(distinct) == wanted:
                return Deduplicated(tuple(distinct), left_out=tuple(repeats))
            kind, text = words.get(block, ("", ""))
            if text and any(kind == of and _within(text, other) for of, other in texts):
                repeats.append(block)
            else:
                distinct.append(block)
                texts.append((kind, text))
    again, left_out = repeats[: wanted - len(distinct)], repeats[wanted - len(distinct) :]
    return Deduplicated((*distinct, *again), len(again), tuple(left_out))


def _words(connection: sqlite3.Connection, blocks: Iterable[int]) -> dict[int, tuple[str, str]]:
    """The type of each block, and its text as it is compared: small letters, one space between two words."""
    rows = connection.execute(
        "SELECT id, block_type, coalesce(image_caption, ''), content FROM blocks "
        "WHERE id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(blocks)),),
    )
    return {block: (kind, _plain(f"{caption} {content}")) for block, kind, caption, content in rows}


def _plain(text: str) -> str:
    return f" {' '.join(text.lower().split())} "


def _within(text: str, other: str) -> bool:
    return text == other or (len(text) < len(other) and text in other and text.count(" ") > MIN_REPEAT_WORDS)


def repeat_warnings(repeats: Sequence[Hit]) -> tuple[str, ...]:
    """One sentence on what is not listed, naming the first of it."""
    if not repeats:
        return ()
    places = list(dict.fromkeys(map(_place, repeats)))
    more = f" and {len(places) - MOST_NAMED} more" if len(places) > MOST_NAMED else ""
    return (
        f"{len(repeats)} {'passage is' if len(repeats) == 1 else 'passages are'} not listed, since a result above says "
        f"the same word for word: {', '.join(places[:MOST_NAMED])}{more}.",
    )


def _place(hit: Hit) -> str:
    page = f" page {hit.block.page_number}" if hit.block.page_number else ""
    return f"{within_line(hit.document.filename)}{page}"
