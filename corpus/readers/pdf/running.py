"""Headers and footers: what stands at the same place of many pages, numbers aside."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from corpus.readers.pdf.lines import Line

_FEWEST_PAGES = 3
_ZONE = 0.12
_NUMBER = re.compile(r"\d+|\b[ivxlc]+\b", re.IGNORECASE)

Key = tuple[str, int]


class RunningLines:
    """Shown every page first, it then knows which lines run through the document."""

    def __init__(self) -> None:
        self._pages: dict[Key, set[int]] = defaultdict(set)

    def see(self, page_number: int, lines: Iterable[Line], height: float) -> None:
        """Takes note of what stands at the top and the bottom of a page."""
        for line in lines:
            if _at_the_edge(line, height):
                self._pages[_key(line)].add(page_number)

    def among(self, line: Line, height: float) -> bool:
        """Whether the line is a header or a footer."""
        return _at_the_edge(line, height) and len(self._pages.get(_key(line), ())) >= _FEWEST_PAGES


def _at_the_edge(line: Line, height: float) -> bool:
    return line.box[3] < height * _ZONE or line.box[1] > height * (1 - _ZONE)


def _key(line: Line) -> Key:
    return " ".join(_NUMBER.sub("#", line.text).split()), round(line.box[1] / 6)
