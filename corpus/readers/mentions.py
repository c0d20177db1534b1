"""Find where a document mentions its figures and tables by number."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Literal

Kind = Literal["figure", "table"]

_NUMBER = r"(\d{1,3}(?:[.\-–‑]\d{1,3})*|[A-Z][.\-]?\d{1,3}(?:\.\d{1,3})*|[IVX]{1,5}\b)"
_MENTIONS: dict[Kind, re.Pattern[str]] = {
    "figure": re.compile(
        r"(?:\b(?:fig(?:ure|\.)?s?|abb(?:ildung(?:en)?|\.)|bild(?:er)?|charts?|exhibits?|diagram(?:m|s)?)|図|图|圖)\s?"
        + _NUMBER,
        re.IGNORECASE,
    ),
    "table": re.compile(r"(?:\b(?:tab(?:le|\.)s?|tabellen?)|表)\s?" + _NUMBER, re.IGNORECASE),
}
_LISTED = re.compile(r"… ?\d+\s*(?:$|\n)")
"""A line of a list of figures, which says where they are and not what they show."""

_MOST = 800
"""Characters kept about one figure or table."""
_BEFORE = 200
"""Characters of a long paragraph kept before the mention."""
_CAPTION = ("", ":", ".", "|", "–", "—")


class Mentions:
    """`see` every paragraph, then ask for what mentions a figure or table."""

    def __init__(self) -> None:
        self._parts_of: dict[tuple[Kind, str], list[str]] = defaultdict(list)

    def see(self, text: str) -> None:
        """Record what a paragraph mentions, until enough is known about each. A caption mentions nothing."""
        if _LISTED.search(text):
            return
        for kind, pattern in _MENTIONS.items():
            for mention in pattern.finditer(text):
                if (
                    kind == "table"
                    and mention.start() == 0
                    and text[mention.end() : mention.end() + 1] in _CAPTION
                ):
                    continue
                parts = self._parts_of[kind, mention[1]]
                if sum(map(len, parts)) < _MOST // 2 and not any(
                    text.startswith(part[:40]) for part in parts
                ):
                    parts.append(_around(text, mention.start()))

    def of(self, number: str, kind: Kind = "figure") -> str:
        """Return the first paragraphs that mention it, about 800 characters at most, or an empty text."""
        parts = self._parts_of.get((kind, number)) or self._parts_of.get(
            (kind, number.rstrip("abcdefgh")), []
        )
        return "\n".join(parts)[:_MOST]


def _around(text: str, place: int) -> str:
    """Return the paragraph, or of a long one the part around the mention from a sentence start."""
    if len(text) <= _MOST:
        return text
    start = text.rfind(". ", 0, max(0, place - 20))
    start = max(start + 2 if start >= 0 else 0, place - _BEFORE)
    return text[start : start + _MOST // 2].rpartition(" ")[0] + " …"
