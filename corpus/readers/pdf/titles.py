"""Title of a document without one in its metadata: the largest text of its first page."""

from __future__ import annotations

from corpus.readers.pdf.headings import NUMBERED
from corpus.readers.pdf.hyphens import Words, joined
from corpus.readers.pdf.lines import Line, usual_size
from corpus.readers.pdf.pages import Page
from corpus.readers.pdf.running import is_sentence
from corpus.readers.pdf.unmapped import GAP
from corpus.readers.stand_ins import is_stand_in
from corpus.text import clean

_MAX_TITLE = 150  # Characters; longer text is an abstract.
_MAX_TITLE_PAGE_LINES = 4  # Lines of a page that holds the title alone.
_MIN_SENTENCE_WORDS = 5  # Words of a sentence with a full stop, which is no title.


def largest_text(pages: list[Page], words: Words) -> str | None:
    """The lines of the largest size on page 1 if it exceeds the usual size, or all large lines of a short page 1.

    Numbered headings, table cells, status marks (DRAFT), dates, addresses and sentences are no titles.
    """
    if not pages or (pages[0].is_picture and pages[0].is_unread):
        return None
    cells = {index for table in pages[0].tables for index in table.inside}
    lines = [
        line
        for index, line in enumerate(pages[0].lines)
        if _letter_count(line) >= 2
        and not line.is_comment
        and index not in cells
        and not is_stand_in(line.text)
    ]
    if not lines:
        return None
    size = max(line.size for line in lines)
    if len(lines) <= _MAX_TITLE_PAGE_LINES and not cells:
        # A page for the title alone: with what is under it. Where nothing is larger, it is a page of a little text.
        first = [line for line in lines if line.size >= 0.6 * size]
        if size <= 1.1 * min(line.size for line in lines) and (len(lines) > 1 or len(pages) == 1):
            return None
    elif size > 1.1 * usual_size(lines):
        first = _first_run([line for line in lines if line.size >= size - 0.2], lines)
    else:
        return None
    text = " ".join(clean(joined((line.text for line in first), words)).split())
    return text if 3 <= len(text) <= _MAX_TITLE and _may_be_title(text) else None


def _may_be_title(text: str) -> bool:
    if NUMBERED.match(text) or GAP in text or text.endswith((":", ",", ";")):
        return False
    return not (is_sentence(text) and text.endswith(".") and len(text.split()) >= _MIN_SENTENCE_WORDS)


def _first_run(large: list[Line], lines: list[Line]) -> list[Line]:
    """The large lines from the first one on, up to the first numbered heading."""
    start = lines.index(large[0])
    end = start
    while (
        end < len(lines) and lines[end] in large and not (end > start and _heads(lines[end], lines[end - 1]))
    ):
        end += 1
    return lines[start:end]


def _heads(line: Line, above: Line) -> bool:
    return NUMBERED.match(line.text) is not None and line.box[1] - above.box[3] > 0.6 * line.size


def _letter_count(line: Line) -> int:
    return sum(1 for char in line.text if char.isalpha())
