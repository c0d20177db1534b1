"""Where a document speaks of its figures, by their numbers."""

from __future__ import annotations

import re
from collections import defaultdict

_MENTION = re.compile(
    r"(?:\b(?:fig(?:ure|\.)?s?|abb(?:ildung(?:en)?|\.)|bild(?:er)?|charts?|exhibits?|diagram(?:m|s)?)|図|图|圖)\s?"
    r"(\d{1,3}(?:[.\-–‑]\d{1,3})*|[A-Z][.\-]?\d{1,3}(?:\.\d{1,3})*|[IVX]{1,5}\b)",
    re.IGNORECASE,
)
_LISTED = re.compile(r"… ?\d+\s*(?:$|\n)")
"""A list of figures says where they are, not what they show."""

_MOST = 800
_BEFORE = 200


class Mentions:
    """Shown every paragraph, it then gives what was said of a figure."""

    def __init__(self) -> None:
        self._said: dict[str, list[str]] = defaultdict(list)

    def see(self, text: str) -> None:
        """Takes note of the figures that a paragraph mentions, each time only until enough is known of one."""
        if _LISTED.search(text):
            return
        for mention in _MENTION.finditer(text):
            said = self._said[mention[1]]
            if sum(map(len, said)) < _MOST // 2 and not any(text.startswith(part[:40]) for part in said):
                said.append(_around(text, mention.start()))

    def of(self, number: str) -> str:
        """The first paragraphs that mention it, about 800 characters at most, or nothing."""
        parts = self._said.get(number) or self._said.get(number.rstrip("abcdefgh"), [])
        return "\n".join(parts)[:_MOST]


def _around(text: str, place: int) -> str:
    """The paragraph, or of a long one what is near the place, from the start of a sentence."""
    if len(text) <= _MOST:
        return text
    start = text.rfind(". ", 0, max(0, place - 20))
    start = max(start + 2 if start >= 0 else 0, place - _BEFORE)
    return text[start : start + _MOST // 2].rpartition(" ")[0] + " …"
