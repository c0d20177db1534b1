"""Fit an answer into a token budget: shorten long texts evenly, then drop rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from corpus.text.normalization import fair_share, token_estimate

MAX_TOKENS = 8000
"""Maximum length of an answer's JSON, in tokens as estimated by `corpus.text.normalization.token_estimate`."""

ROOM_FOR_WARNINGS = 300
"""Number of tokens reserved for warnings about cuts."""

MIN_TOKENS = 60
"""Minimum length, in tokens, to which a text may be shortened. If there is less room, rows are dropped instead."""

MARK = " …"

PICTURE, LONGER_ADDRESS = "rag://blocks/", 40
"""Prefix of a picture's URI, and number of tokens by which the URL that replaces it over HTTP is longer."""

Row = TypeVar("Row", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Cut(Generic[Row]):
    """The rows that fit, and the numbers of shortened and of dropped rows."""

    rows: list[Row]
    shortened: int = 0
    dropped: int = 0


def tokens(answer: BaseModel) -> int:
    """Return the estimated number of tokens of the answer's JSON."""
    text = answer.model_dump_json(exclude_none=True)
    return token_estimate(text) + LONGER_ADDRESS * text.count(PICTURE)


def room(answer: BaseModel) -> int:
    """Return the number of tokens that may be added to this answer."""
    return MAX_TOKENS - ROOM_FOR_WARNINGS - tokens(answer)


def cut(rows: Sequence[Row], text: str, total: int) -> Cut[Row]:
    """Keep as many leading rows as fit into `total` tokens. Shorten their field `text` as needed.

    Short texts are not cut. Long texts share the remaining room and are cut to the same length.
    """
    whole = [tokens(row) for row in rows]
    if sum(whole) <= total:
        return Cut(list(rows))
    sizes = [cost(getattr(row, text) or "") for row in rows]
    kept = rows_that_fit(
        [all_of - size + min(size, MIN_TOKENS) for all_of, size in zip(whole, sizes, strict=True)], total
    )
    frame = sum(whole[:kept]) - sum(sizes[:kept])
    cap = fair_share(sizes[:kept], total - frame)
    cut_rows = [_with_shortened(row, text, cap) for row in rows[:kept]]
    return Cut(cut_rows, sum(size > cap for size in sizes[:kept]), len(rows) - kept)


def shortened(text: str, max_tokens: int) -> str:
    """Return the text, cut to about `max_tokens` tokens, if possible between words. MARK shows that it was cut."""
    if cost(text) <= max_tokens:
        return text
    end = _characters_within(text, max(max_tokens - 2, 0))
    space = text.rfind(" ", end * 3 // 4, end)
    return text[: space if space > 0 else end].rstrip() + MARK


def cost(text: str) -> int:
    """Return the estimated number of tokens of a text inside JSON, where a quote or line end takes two characters."""
    return token_estimate(json.dumps(text, ensure_ascii=False))


def rows_that_fit(costs: Sequence[int], total: int) -> int:
    """Return the number of leading rows that fit into `total` tokens; at least 1 if there are any rows."""
    for count, cost in enumerate(costs):
        total -= cost
        if total < 0:
            return max(count, 1)
    return len(costs)


def _with_shortened(row: Row, text: str, max_tokens: int) -> Row:
    value = getattr(row, text)
    return row.model_copy(update={text: shortened(value, max_tokens)}) if value else row


def _quarters(character: str) -> int:
    """Return the size of a character inside JSON, in quarters of a token. JSON writes a control character as
    `\\u001f`."""
    if character > "\x7f":
        return 4
    if character in '"\\\n\t\r\b\f':
        return 2
    return 6 if character < " " else 1


def _characters_within(text: str, max_tokens: int) -> int:
    quarters = max_tokens * 4
    for offset, character in enumerate(text):
        quarters -= _quarters(character)
        if quarters < 0:
            return offset
    return len(text)
