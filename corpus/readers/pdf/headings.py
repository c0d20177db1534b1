"""Headings, from the outline or from number, size and weight."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from corpus.documents import OutlineEntry
from corpus.readers.pdf.hyphens import Words, joined
from corpus.readers.pdf.lines import Line
from corpus.readers.stand_ins import is_stand_in

NUMBERED = re.compile(
    r"(?:(?:chapter|kapitel|section|abschnitt|part|teil)\s+)?(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\S", re.I
)
_MAX_HEADING = 150  # Characters; longer text is a paragraph.
_NO_WORDS = Words()
_MAX_LEVEL = 4  # Levels by size; readers tell no more apart.
_MIN_ENTRIES = 3  # Entries of an outline that is used; shorter ones name the file and its parts.


@dataclass(frozen=True, slots=True)
class Heading:
    """Title and level, from 1."""

    level: int
    title: str


class Headings:
    """Tells headings from other lines, after `see` was called with every line."""

    def __init__(self, outline: Iterable[OutlineEntry]) -> None:
        self._sizes: Counter[float] = Counter()
        self._entries: dict[int, dict[str, int]] = defaultdict(dict)
        self._titles: dict[int, list[Heading]] = defaultdict(list)
        listed = [entry for entry in outline if entry.page_number]
        for entry in listed if len(listed) >= _MIN_ENTRIES else ():
            self._titles[entry.page_number or 0].append(Heading(entry.level, entry.title))
            if key := _alphanumerics(entry.title):
                self._entries[entry.page_number or 0][key] = entry.level

    def unseen(self, page_number: int) -> list[Heading]:
        """Outline entries of a page, for a page on which no line matches."""
        return self._titles.get(page_number, [])

    def see(self, lines: Iterable[Line]) -> None:
        """Count the font sizes in use."""
        for line in lines:
            self._sizes[line.size] += len(line.text)

    def of(self, lines: list[Line], page_number: int, title: str | None) -> Heading | None:
        """The heading that the lines form, or None. The document's own title is none."""
        text = joined((line.text for line in lines), _NO_WORDS)
        key = _alphanumerics(text)
        if len(lines) > 3 or len(text) > _MAX_HEADING or sum(map(str.isalpha, key)) < 2:
            return None
        if title and key in _alphanumerics(title):
            return None
        if self._entries:
            level = self._level_by_outline(key, page_number)
        else:
            level = None if is_stand_in(text) else self._level_by_look(text, lines)
        return Heading(level, text) if level else None

    def _level_by_outline(self, key: str, page_number: int) -> int | None:
        for title, level in self._entries.get(page_number, {}).items():
            shorter, longer = sorted((title, key), key=len)
            # One of them may have the number that the other lacks.
            if (
                longer.endswith(shorter)
                and len(longer) - len(shorter) <= 12
                and 2 * len(shorter) >= len(longer)
            ):
                return level
        return None

    def _level_by_look(self, text: str, lines: list[Line]) -> int | None:
        size, bold = lines[0].size, all(line.bold for line in lines)
        larger = size > 1.12 * self.body_size
        plain = text[:1].isupper() or text[:1].isdigit() or not text[:1].isascii()
        if not plain or (not larger and not (bold and size >= 0.98 * self.body_size)):
            return None
        if match := NUMBERED.match(text):
            return match[1].count(".") + 1
        if larger:
            return self._rank(size)
        return _MAX_LEVEL if len(text) < 80 and text[-1] not in ".,;:" else None

    @property
    def body_size(self) -> float:
        """Font size of most of the text, in points; 0 for no text."""
        return self._sizes.most_common(1)[0][0] if self._sizes else 0.0

    def _rank(self, size: float) -> int:
        bodies = 1.12 * self.body_size
        sizes = sorted({round(each) for each, _ in self._sizes.items() if each > bodies}, reverse=True)
        return min(_MAX_LEVEL, sizes.index(round(size)) + 1)


def _alphanumerics(text: str) -> str:
    return "".join(char for char in text.lower() if char.isalnum())
