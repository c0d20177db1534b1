"""Page ranges of a document, and the text of pages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from corpus.documents.block import Block
from corpus.errors import InvalidRequest

_RANGE = re.compile(r"\s*(\d{1,7})\s*(?:[-–]\s*(\d{1,7})\s*)?")


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of one page in reading order. A document without pages has a single `PageText`, which contains all its
    text and no page number."""

    page_number: int | None
    page_label: str | None
    text: str


def page_range(text: str) -> tuple[int, int]:
    """Return the first and last page of `"7"` or `"3-5"`, as 1-based pages of the file. Raise InvalidRequest for any
    other text."""
    match = _RANGE.fullmatch(text)
    if not match:
        raise InvalidRequest(f"Pages {text[:40]!r} are not a page or a range. Write '7' or '3-5'.")
    first = int(match[1])
    last = int(match[2] or first)
    if first < 1 or last < first:
        raise InvalidRequest(
            f"Pages {text.strip()!r} run backwards or below 1. Write the lower page first, as in '3-5'."
        )
    return first, last


def page_texts(blocks: Sequence[Block]) -> tuple[PageText, ...]:
    """Return the texts of the blocks in reading order, joined page by page."""
    return tuple(
        PageText(number, next((b.page_label for b in run if b.page_label), None), _join_text(run))
        for number, run in ((n, list(group)) for n, group in groupby(blocks, key=lambda b: b.page_number))
    )


def _join_text(blocks: Sequence[Block]) -> str:
    # The text of a block includes its heading.
    return "\n\n".join(block.content for block in blocks if block.block_type == "text")
