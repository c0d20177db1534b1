"""Deduplication: of passages that say the same word for word, as versions of a document do, the best takes a place.

Only full agreement counts. A reader must see versions that differ in a number or in a "not". Running headers say no
more than the name of the document and a chapter, so they come last as well.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from corpus.search import Hit
from corpus.text.markdown import within_line

HEADER = "header"
MIN_REPEAT_WORDS = 12
"""A passage of more words that occurs within another one is a repeat; a shorter one may occur there by chance."""

MAX_HEADER_WORDS = 8
"""Words after the title in a running header: a chapter, a department, a date."""

MAX_NAMED = 3
"""Places that a warning lists."""


@dataclass(frozen=True, slots=True)
class Deduplication:
    """Row ids, best first: `kept`, the last `again` of which are headers and repeats that fill free places; `left_out`
    are the other repeats."""

    kept: tuple[int, ...]
    again: int = 0
    left_out: tuple[int, ...] = ()


def deduplicate(connection: sqlite3.Connection, ranked: Sequence[int], count: int) -> Deduplication:
    """The first `count` blocks that are no headers and repeat none before them. Headers, then repeats fill the places
    that remain."""
    distinct: list[int] = []
    headers: list[int] = []
    repeats: list[int] = []
    texts: list[tuple[str, str]] = []
    step = max(1, count + count // 2)
    for start in range(0, len(ranked), step):
        some = ranked[start : start + step]
        words = _words(connection, some)
        for block in some:
            if len(distinct) == count:
                return Deduplication(tuple(distinct), left_out=tuple(repeats))
            kind, text = words.get(block, ("", ""))
            if kind == HEADER:
                headers.append(block)
            elif text and any(kind == of and _within(text, other) for of, other in texts):
                repeats.append(block)
            else:
                distinct.append(block)
                texts.append((kind, text))
    free = count - len(distinct)
    again = [*headers, *repeats][:free]
    return Deduplication((*distinct, *again), len(again), tuple(repeats[max(free - len(headers), 0) :]))


def _words(connection: sqlite3.Connection, blocks: Iterable[int]) -> dict[int, tuple[str, str]]:
    """The type of each block or HEADER, and its normalised text: lower case, single spaces."""
    rows = connection.execute(
        "SELECT blocks.id, block_type, coalesce(image_caption, ''), content, page_number, title "
        "FROM blocks JOIN documents ON documents.id = blocks.doc WHERE blocks.id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(blocks)),),
    )
    return {
        block: (HEADER if _is_header(content, page, title) else kind, _plain(f"{caption} {content}"))
        for block, kind, caption, content, page, title in rows
    }


def _is_header(content: str, page: int | None, title: str) -> bool:
    """Whether a text is one line behind the first page that begins with the title and adds few words."""
    return (
        (page or 0) > 1
        and " " in title
        and "\n" not in content
        and _plain(content).startswith(_plain(title))
        and len(content.split()) - len(title.split()) <= MAX_HEADER_WORDS
    )


def _plain(text: str) -> str:
    return f" {' '.join(text.lower().split())} "


def _within(text: str, other: str) -> bool:
    return text == other or (len(text) < len(other) and text in other and text.count(" ") > MIN_REPEAT_WORDS)


def repeat_warnings(repeats: Sequence[Hit]) -> tuple[str, ...]:
    """One sentence that counts the omitted repeats and names the first of them."""
    if not repeats:
        return ()
    places = list(dict.fromkeys(map(_place, repeats)))
    more = f" and {len(places) - MAX_NAMED} more" if len(places) > MAX_NAMED else ""
    return (
        f"{len(repeats)} {'passage is' if len(repeats) == 1 else 'passages are'} not listed, since a result above says "
        f"the same word for word: {', '.join(places[:MAX_NAMED])}{more}.",
    )


def _place(hit: Hit) -> str:
    page = f" page {hit.block.page_number}" if hit.block.page_number else ""
    return f"{within_line(hit.document.filename)}{page}"
