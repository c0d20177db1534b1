"""Where a document speaks of its figures and tables, by their numbers."""

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
"""A list of figures says where they are, not what they show."""

_MOST = 800
_BEFORE = 200
_CAPTION = ("", ":", ".", "|", "–", "—")


class Mentions:
    """Shown every paragraph, it then gives what was said of a figure or table."""

    def __init__(self) -> None:
        self._said: dict[tuple[Kind, str], list[str]] = defaultdict(list)

    def see(self, text: str) -> None:
        """Takes note of what a paragraph mentions, each time only until enough is known of one.

        A caption that stands among the text mentions nothing.
        """
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
                said = self._said[kind, mention[1]]
                if sum(map(len, said)) < _MOST // 2 and not any(text.startswith(part[:40]) for part in said):
                    said.append(_around(text, mention.start()))

    def of(self, number: str, kind: Kind = "figure") -> str:
        """The first paragraphs that mention it, about 800 characters at most, or nothing."""
        parts = self._said.get((kind, number)) or self._said.get((kind, number.rstrip("abcdefgh")), [])
        return "\n".join(parts)[:_MOST]


def _around(text: str, place: int) -> str:
    """The paragraph, or of a long one what is near the place, from the start of a sentence."""
    if len(text) <= _MOST:
        return text
    start = text.rfind(". ", 0, max(0, place - 20))
    start = max(start + 2 if start >= 0 else 0, place - _BEFORE)
    return text[start : start + _MOST // 2].rpartition(" ")[0] + " …"
