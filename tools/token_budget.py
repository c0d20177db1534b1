"""Keep an answer within a budget of tokens: shorten long texts evenly, then drop rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from corpus.text.normalization import fair_share, token_estimate

MAX_TOKENS = 8000
"""Of one answer, by `corpus.text.normalization.token_estimate` over its JSON."""

ROOM_FOR_WARNINGS = 300
"""Tokens kept free for saying what was cut."""

MIN_TOKENS = 60
"""Tokens of a text that still say something; where there is no room for them, rows are dropped instead."""

MARK = " …"

PICTURE, LONGER_ADDRESS = "rag://blocks/", 40
"""How the address of a picture begins, and tokens by which the one that stands for it over HTTP is longer."""

Row = TypeVar("Row", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Cut(Generic[Row]):
    """The rows that fit, and how many of them were shortened and how many left out."""

    rows: list[Row]
    shortened: int = 0
    dropped: int = 0


def tokens(answer: BaseModel) -> int:
    """How many tokens the text has, estimated."""
    text = answer.model_dump_json(exclude_none=True)
    return token_estimate(text) + LONGER_ADDRESS * text.count(PICTURE)


def room(answer: BaseModel) -> int:
    """Tokens that may be added to this answer."""
    return MAX_TOKENS - ROOM_FOR_WARNINGS - tokens(answer)


def cut(rows: Sequence[Row], text: str, total: int) -> Cut[Row]:
    """As many rows, from the first, as fit into `total` tokens, their field `text` shortened where needed.

    Short texts stay whole; the long ones share what is left and are cut to one length.
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
    shown = [_with_shortened(row, text, cap) for row in rows[:kept]]
    return Cut(shown, sum(size > cap for size in sizes[:kept]), len(rows) - kept)


def shortened(text: str, most: int) -> str:
    """The text in at most about `most` tokens, cut at a word where it has words, and marked as cut."""
    if cost(text) <= most:
        return text
    end = _letters_within(text, max(most - 2, 0))
    space = text.rfind(" ", end * 3 // 4, end)
    return text[: space if space > 0 else end].rstrip() + MARK


def cost(text: str) -> int:
    """Tokens of a text inside JSON, where a quote or a line end takes two characters."""
    return token_estimate(json.dumps(text, ensure_ascii=False))


def rows_that_fit(costs: Sequence[int], total: int) -> int:
    """How many rows, from the first, fit into the total; at least one if there is one."""
    for count, cost in enumerate(costs):
        total -= cost
        if total < 0:
            return max(count, 1)
    return len(costs)


def _with_shortened(row: Row, text: str, most: int) -> Row:
    value = getattr(row, text)
    return row.model_copy(update={text: shortened(value, most)}) if value else row


def _quarters(letter: str) -> int:
    """Quarters of a token that a character takes inside JSON, where a control character is written as `\\u001f`."""
    if letter > "\x7f":
        return 4
    if letter in '"\\\n\t\r\b\f':
        return 2
    return 6 if letter < " " else 1


def _letters_within(text: str, most: int) -> int:
    quarters = most * 4
    for place, letter in enumerate(text):
        quarters -= _quarters(letter)
        if quarters < 0:
            return place
    return len(text)
