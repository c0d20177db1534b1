"""Headers and footers: what stands at the same place of many pages, numbers aside."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from corpus.readers.pdf.lines import Line

_FEWEST_PAGES = 3
_ZONE = 0.12
_MARGIN = 0.08
_STEP = 6.0
_PART = 3
_NUMBER = re.compile(r"\d+|\b[ivxlc]+\b", re.IGNORECASE)

Key = tuple[str, int]


class RunningLines:
    """Shown every page first, it then knows which lines run through the document."""

    def __init__(self) -> None:
        self._pages: dict[Key, set[int]] = defaultdict(set)

    def see(self, page_number: int, lines: Iterable[Line], size: tuple[float, float]) -> None:
        """Takes note of what stands at the edges of a page of that size."""
        for line in lines:
            if _at_the_edge(line, size):
                for text in _texts(line):
                    self._pages[text, _place(line)].add(page_number)

    def among(self, line: Line, size: tuple[float, float]) -> bool:
        """Whether the line is a header, a footer or a mark in the margin."""
        if not _at_the_edge(line, size):
            return False
        return any(self._count(text, _place(line)) >= _FEWEST_PAGES for text in _texts(line))

    def _count(self, text: str, place: int) -> int:
        """On how many pages it stands there, or a little off: the place varies with the height of the letters."""
        near = (self._pages.get((text, place + step), set()) for step in (-1, 0, 1))
        return len(set().union(*near))


def _at_the_edge(line: Line, size: tuple[float, float]) -> bool:
    left, top, right, bottom = line.box
    width, height = size
    margin = width * _MARGIN
    return bottom < height * _ZONE or top > height * (1 - _ZONE) or right < margin or left > width - margin


def _texts(line: Line) -> list[str]:
    """What a line is known by: its text without numbers; of one in parts, also how it starts and how it ends.

    A header often has the title at one side and the chapter at the other.
    """
    words = _NUMBER.sub("#", line.text).split()
    if not line.scattered or len(words) <= _PART:
        return [" ".join(words)]
    return [" ".join(words), " ".join([*words[:_PART], "…"]), " ".join(["…", *words[-_PART:]])]


def _place(line: Line) -> int:
    return round(line.box[1] / _STEP)
