"""Captions of figures and tables, and where a text mentions them by number."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

from corpus.readers.elements.protocol import Element, Figure, Heading, Paragraph, Table

MAX_CAPTION = 1500
"""Characters; a longer paragraph is no caption."""

_NUMBER = r"(?:\d{1,3}(?:[.\-–‑]\d{1,3})*[a-z]?|[A-Z][.\-]?\d{1,3}|[IVX]{1,5})"
_SEPARATOR = r"(?:\s?[:|–—.](?:\s|$)|\s+(?=[A-ZÄÖÜ\"“„»(])|\s*$)"
_FIGURE = re.compile(
    rf"(?<!\s)\s*+(?:Figure|Fig\.|Abbildung|Abb\.|Bild|Chart|Exhibit|Diagramm?|Picture|図|图|圖)\s?({_NUMBER}){_SEPARATOR}",
    re.IGNORECASE,
)
_TABLE = re.compile(rf"(?<!\s)\s*+(?:Table|Tabelle|Tab\.|表)\s?{_NUMBER}{_SEPARATOR}", re.IGNORECASE)
_EMPTY_ALT = re.compile(
    r"(?:(?:picture|image|bild|grafik|graphic|figure|img|photo|content placeholder|inhaltsplatzhalter)[\s_-]*\d*"
    r"|\S+\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|svg|webp)|https?://\S+)",
    re.IGNORECASE,
)


def figure_number(caption: str | None) -> str | None:
    """Return the number in "Figure 3: ...", by which text refers to the figure."""
    match = _FIGURE.match(caption or "")
    return match[1] if match else None


def real_alt(alt: str | None) -> str | None:
    """Return the alternative text, unless it is a file name or made up by a program."""
    text = " ".join((alt or "").split())
    return text[:MAX_CAPTION] if text and not _EMPTY_ALT.fullmatch(text) else None


class Captions:
    """The captions of all elements: `of` maps an element's index to its caption, `taken` are the paragraphs used."""

    def __init__(self, elements: Sequence[Element]) -> None:
        self._elements = elements
        self.of: dict[int, str] = {}
        self.used: set[int] = set()
        for index, element in enumerate(elements):
            if isinstance(element, Figure):
                self._find(index, element.caption, _FIGURE, (1, -1))
            elif isinstance(element, Table):
                self._find(index, element.caption, _TABLE, (-1, 1))

    def _find(self, index: int, own: str | None, pattern: re.Pattern[str], sides: tuple[int, int]) -> None:
        if own:
            self.of[index] = own[:MAX_CAPTION]
            return
        for side in sides:
            near = self._paragraph(index, side)
            if near is not None and self._is_caption(near, pattern):
                self.used.add(near)
                self.of[index] = _text(self._elements[near])[:MAX_CAPTION]
                return

    def _paragraph(self, index: int, side: int) -> int | None:
        near = index + side
        inside = 0 <= near < len(self._elements) and near not in self.used
        return near if inside and isinstance(self._elements[near], Paragraph) else None

    def _is_caption(self, index: int, pattern: re.Pattern[str]) -> bool:
        element = self._elements[index]
        if not isinstance(element, Paragraph) or len(element.text) > MAX_CAPTION:
            return False
        other = _TABLE if pattern is _FIGURE else _FIGURE
        if element.role == "caption":
            return not other.match(element.text)
        return bool(pattern.match(element.text))


def _text(element: Element) -> str:
    return " ".join(element.text.split()) if isinstance(element, Paragraph | Heading) else ""


Kind = Literal["figure", "table"]

_MENTION_NUMBER = r"(\d{1,3}(?:[.\-–‑]\d{1,3})*|[A-Z][.\-]?\d{1,3}(?:\.\d{1,3})*|[IVX]{1,5}\b)"
_MENTIONS: dict[Kind, re.Pattern[str]] = {
    "figure": re.compile(
        r"(?:\b(?:fig(?:ure|\.)?s?|abb(?:ildung(?:en)?|\.)|bild(?:er)?|charts?|exhibits?|diagram(?:m|s)?)|図|图|圖)\s?"
        + _MENTION_NUMBER,
        re.IGNORECASE,
    ),
    "table": re.compile(r"(?:\b(?:tab(?:le|\.)s?|tabellen?)|表)\s?" + _MENTION_NUMBER, re.IGNORECASE),
}
_LISTED = re.compile(r"… ?\d+\s*(?:$|\n)")
"""A line of a list of figures, which says where they are and not what they show."""

_MAX_MENTION = 800
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
                if kind == "table" and mention.start() == 0 and text[mention.end() : mention.end() + 1] in _CAPTION:
                    continue
                parts = self._parts_of[kind, mention[1]]
                if sum(map(len, parts)) < _MAX_MENTION // 2 and not any(text.startswith(part[:40]) for part in parts):
                    parts.append(_around(text, mention.start()))

    def of(self, number: str, kind: Kind = "figure") -> str:
        """Return the first paragraphs that mention it, about 800 characters at most, or an empty text."""
        parts = self._parts_of.get((kind, number)) or self._parts_of.get((kind, number.rstrip("abcdefgh")), [])
        return "\n".join(parts)[:_MAX_MENTION]


def _around(text: str, place: int) -> str:
    """Return the paragraph, or of a long one the part around the mention from a sentence start."""
    if len(text) <= _MAX_MENTION:
        return text
    start = text.rfind(". ", 0, max(0, place - 20))
    start = max(start + 2 if start >= 0 else 0, place - _BEFORE)
    return text[start : start + _MAX_MENTION // 2].rpartition(" ")[0] + " …"
