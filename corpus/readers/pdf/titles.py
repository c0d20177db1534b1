"""A title for a document that names none: the largest text of its first page."""

from __future__ import annotations

from collections import Counter

from corpus.readers.pdf.hyphens import Words, joined
from corpus.readers.pdf.lines import Line
from corpus.readers.pdf.pages import Page
from corpus.text import clean

_LONGEST = 200


def largest_text(pages: list[Page], words: Words) -> str | None:
    """The lines of the largest size on page 1, when that is larger than most of the page, or all of it is short."""
    lines = [line for line in pages[0].lines if _letters(line) >= 2] if pages else []
    if not lines:
        return None
    size = max(line.size for line in lines)
    usual = _usual_size(lines)
    first = _run([line for line in lines if line.size >= size - 0.5], lines)
    text = " ".join(clean(joined((line.text for line in first), words)).split())
    plain = size > 1.1 * usual or len(lines) <= 2
    return text if plain and 3 <= len(text) <= _LONGEST else None


def _run(large: list[Line], lines: list[Line]) -> list[Line]:
    """The large lines that follow each other from the first one on."""
    start = lines.index(large[0])
    end = start
    while end < len(lines) and lines[end] in large:
        end += 1
    return lines[start:end]


def _usual_size(lines: list[Line]) -> float:
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return sizes.most_common(1)[0][0]


def _letters(line: Line) -> int:
    return sum(1 for letter in line.text if letter.isalpha())
