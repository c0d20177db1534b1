"""A title for a document that names none: the largest text of its first page."""

from __future__ import annotations

from collections import Counter

from corpus.readers.pdf.headings import NUMBERED
from corpus.readers.pdf.hyphens import Words, joined
from corpus.readers.pdf.lines import Line
from corpus.readers.pdf.pages import Page
from corpus.readers.pdf.unmapped import GAP
from corpus.text import clean

_LONGEST = 150
_TITLE_PAGE = 4


def largest_text(pages: list[Page], words: Words) -> str | None:
    """The lines of the largest size on page 1 if it is larger than most, or all that a short page 1 says large.

    A numbered heading is none.
    """
    if not pages or (pages[0].is_picture and pages[0].is_unread):
        return None
    lines = [line for line in pages[0].lines if _letters(line) >= 2]
    if not lines:
        return None
    size = max(line.size for line in lines)
    if len(lines) <= _TITLE_PAGE:
        first = [
            line for line in lines if line.size >= 0.6 * size
        ]  # a page for the title alone: with what is under it
    elif size > 1.1 * _usual_size(lines):
        first = _run([line for line in lines if line.size >= size - 0.2], lines)
    else:
        return None
    text = " ".join(clean(joined((line.text for line in first), words)).split())
    return text if 3 <= len(text) <= _LONGEST and not NUMBERED.match(text) and GAP not in text else None


def _run(large: list[Line], lines: list[Line]) -> list[Line]:
    """The large lines that follow each other from the first one on, up to the first heading with a number."""
    start = lines.index(large[0])
    end = start
    while (
        end < len(lines) and lines[end] in large and not (end > start and _heads(lines[end], lines[end - 1]))
    ):
        end += 1
    return lines[start:end]


def _heads(line: Line, above: Line) -> bool:
    return NUMBERED.match(line.text) is not None and line.box[1] - above.box[3] > 0.6 * line.size


def _usual_size(lines: list[Line]) -> float:
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0]


def _letters(line: Line) -> int:
    return sum(1 for letter in line.text if letter.isalpha())
