"""Headings of a document, and its title if the metadata contains none."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from corpus.documents.document import OutlineEntry
from corpus.readers.pdf.pages import Page
from corpus.readers.pdf.text.font_encoding import GAP
from corpus.readers.pdf.text.headers_footers import is_sentence
from corpus.readers.pdf.text.lines import Line, Words, join_lines, usual_size
from corpus.readers.placeholder_metadata import is_placeholder
from corpus.text.normalization import clean

NUMBERED = re.compile(
    r"(?:(?:chapter|kapitel|section|abschnitt|part|teil)\s+)?(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+\S", re.I
)
_MAX_HEADING = 150  # Maximum length of a heading in characters, about two lines of print; longer text is a paragraph.
_NO_WORDS = Words()
_MAX_LEVEL = 4  # Maximum number of heading levels derived from font sizes; people cannot distinguish more.
_MIN_ENTRIES = 3  # Minimum number of entries in a usable outline; shorter outlines list the file and its parts.


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of a heading, and its level from 1."""

    level: int
    title: str


class Headings:
    """Distinguishes headings from other lines. Call `see` with every line first."""

    def __init__(self, outline: Iterable[OutlineEntry]) -> None:
        self._sizes: Counter[float] = Counter()
        self._entries: dict[int, dict[str, int]] = defaultdict(dict)
        self._titles: dict[int, list[Heading]] = defaultdict(list)
        listed = [entry for entry in outline if entry.page_number]
        for entry in listed if len(listed) >= _MIN_ENTRIES else ():
            self._titles[entry.page_number or 0].append(Heading(entry.level, entry.title))
            if key := _alphanumerics(entry.title):
                self._entries[entry.page_number or 0][key] = entry.level

    def outline_headings(self, page_number: int) -> list[Heading]:
        """Return the outline entries of a page that match no line on it."""
        return self._titles.get(page_number, [])

    def see(self, lines: Iterable[Line]) -> None:
        """Count the font sizes of the lines."""
        for line in lines:
            self._sizes[line.size] += len(line.text)

    def of(self, lines: list[Line], page_number: int, title: str | None) -> Heading | None:
        """Return the heading that the lines form, or None. The document's own title is not a heading."""
        text = join_lines((line.text for line in lines), _NO_WORDS)
        key = _alphanumerics(text)
        if len(lines) > 3 or len(text) > _MAX_HEADING or sum(map(str.isalpha, key)) < 2:
            return None
        if title and key in _alphanumerics(title):
            return None
        if self._entries:
            level = self._level_by_outline(key, page_number)
        else:
            level = None if is_placeholder(text) else self._level_by_look(text, lines)
        return Heading(level, text) if level else None

    def _level_by_outline(self, key: str, page_number: int) -> int | None:
        for title, level in self._entries.get(page_number, {}).items():
            shorter, longer = sorted((title, key), key=len)
            # Either the outline or the page may lack the heading's number.
            if longer.endswith(shorter) and len(longer) - len(shorter) <= 12 and 2 * len(shorter) >= len(longer):
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
        """Return the font size of most of the text, in points; 0 if there is no text."""
        return self._sizes.most_common(1)[0][0] if self._sizes else 0.0

    def _rank(self, size: float) -> int:
        bodies = 1.12 * self.body_size
        sizes = sorted({round(each) for each, _ in self._sizes.items() if each > bodies}, reverse=True)
        return min(_MAX_LEVEL, sizes.index(round(size)) + 1)


def _alphanumerics(text: str) -> str:
    return "".join(char for char in text.lower() if char.isalnum())


_MAX_TITLE = 150  # Maximum title length in characters, about three lines of a title page; longer text is an abstract.
_MAX_TITLE_PAGE_LINES = 4  # Maximum number of lines on a page that contains only the title.
_MIN_SENTENCE_WORDS = 5  # Minimum number of words in a sentence with a full stop, which is not a title.


def largest_text(pages: list[Page], words: Words) -> str | None:
    """Return the text of the largest size on page 1 if that size exceeds the usual one, or all large lines if page 1 is
    short.

    Numbered headings, table cells, status marks (DRAFT), dates, addresses and sentences are not titles.
    """
    if not pages or (pages[0].is_picture and pages[0].is_unread):
        return None
    cells = {index for table in pages[0].tables for index in table.inside}
    lines = [
        line
        for index, line in enumerate(pages[0].lines)
        if _letter_count(line) >= 2 and not line.is_comment and index not in cells and not is_placeholder(line.text)
    ]
    if not lines:
        return None
    size = max(line.size for line in lines)
    if len(lines) <= _MAX_TITLE_PAGE_LINES and not cells:
        # This is a title page, so include the subtitle. If all lines have one size, it is only a short page of text.
        first = [line for line in lines if line.size >= 0.6 * size]
        if size <= 1.1 * min(line.size for line in lines) and (len(lines) > 1 or len(pages) == 1):
            return None
    elif size > 1.1 * usual_size(lines):
        first = _first_run([line for line in lines if line.size >= size - 0.2], lines)
    else:
        return None
    text = " ".join(clean(join_lines((line.text for line in first), words)).split())
    return text if 3 <= len(text) <= _MAX_TITLE and _may_be_title(text) else None


def _may_be_title(text: str) -> bool:
    if NUMBERED.match(text) or GAP in text or text.endswith((":", ",", ";")):
        return False
    return not (is_sentence(text) and text.endswith(".") and len(text.split()) >= _MIN_SENTENCE_WORDS)


def _first_run(large: list[Line], lines: list[Line]) -> list[Line]:
    """Return the large lines from the first one up to the first numbered heading."""
    start = lines.index(large[0])
    end = start
    while end < len(lines) and lines[end] in large and not (end > start and _heads(lines[end], lines[end - 1])):
        end += 1
    return lines[start:end]


def _heads(line: Line, above: Line) -> bool:
    return NUMBERED.match(line.text) is not None and line.box[1] - above.box[3] > 0.6 * line.size


def _letter_count(line: Line) -> int:
    return sum(1 for char in line.text if char.isalpha())
