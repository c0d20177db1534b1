"""Find the captions of figures and tables among the paragraphs beside them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from corpus.readers.elements.protocol import Element, Figure, Heading, Paragraph, Table

LONGEST = 1500
"""Characters; a longer paragraph is no caption."""

_NUMBER = r"(?:\d{1,3}(?:[.\-–‑]\d{1,3})*[a-z]?|[A-Z][.\-]?\d{1,3}|[IVX]{1,5})"
_SEPARATOR = r"(?:\s?[:|–—.](?:\s|$)|\s+(?=[A-ZÄÖÜ\"“„»(])|\s*$)"
_FIGURE = re.compile(
    rf"\s*(?:Figure|Fig\.|Abbildung|Abb\.|Bild|Chart|Exhibit|Diagramm?|Picture|図|图|圖)\s?({_NUMBER}){_SEPARATOR}",
    re.IGNORECASE,
)
_TABLE = re.compile(rf"\s*(?:Table|Tabelle|Tab\.|表)\s?{_NUMBER}{_SEPARATOR}", re.IGNORECASE)
_EMPTY_ALT = re.compile(
    r"(?:(?:picture|image|bild|grafik|graphic|figure|img|photo|content placeholder|inhaltsplatzhalter)[\s_-]*\d*"
    r"|\S+\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|svg|webp)|https?://\S+)",
    re.IGNORECASE,
)


def figure_number(caption: str | None) -> str | None:
    """Return the number in "Figure 3: ...", by which text refers to the figure."""
    match = _FIGURE.match(caption or "")
    return match[1] if match else None


def saying(alt: str | None) -> str | None:
    """Return the alternative text, unless it is a file name or made up by a program."""
    text = " ".join((alt or "").split())
    return text[:LONGEST] if text and not _EMPTY_ALT.fullmatch(text) else None


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
            self.of[index] = own[:LONGEST]
            return
        for side in sides:
            near = self._paragraph(index, side)
            if near is not None and self._is_caption(near, pattern):
                self.used.add(near)
                self.of[index] = _text(self._elements[near])[:LONGEST]
                return

    def _paragraph(self, index: int, side: int) -> int | None:
        near = index + side
        inside = 0 <= near < len(self._elements) and near not in self.used
        return near if inside and isinstance(self._elements[near], Paragraph) else None

    def _is_caption(self, index: int, pattern: re.Pattern[str]) -> bool:
        element = self._elements[index]
        if not isinstance(element, Paragraph) or len(element.text) > LONGEST:
            return False
        other = _TABLE if pattern is _FIGURE else _FIGURE
        if element.role == "caption":
            return not other.match(element.text)
        return bool(pattern.match(element.text))


def _text(element: Element) -> str:
    return " ".join(element.text.split()) if isinstance(element, Paragraph | Heading) else ""
