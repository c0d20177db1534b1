"""Find captions of figures and tables, and distinguish them from sentences that mention a figure and from lists of
figures."""

from __future__ import annotations

import re
from dataclasses import dataclass

from corpus.documents.block import Box
from corpus.readers.pdf.page_geometry import union
from corpus.readers.pdf.text.lines import HYPHEN, Line
from corpus.readers.pdf.text.paragraphs import starts_new

_KIND = r"(?P<kind>Figure|FIGURE|Fig\.|FIG\.|Abbildung|ABBILDUNG|Abb\.|Bild|Chart|Exhibit|Diagram|Diagramm|図|图|圖)"
_NUMBER = (
    r"(?P<number>\d{1,3}(?:[.\-–‑]\d{1,3})*[a-z]?|[A-Z]{1,3}[.\-]?\d{1,3}(?:\.\d{1,3})*[a-z]?"
    r"|[IVX]{1,5}(?![a-z]))"
)
_CAPTION = re.compile(
    rf"\s*{_KIND}\s?{_NUMBER}(?:\s?[:|–—]|\.(?:\s|$)|\s+(?=[A-ZÄÖÜ\"“„»(\d])|\s*$|(?<=\d)\s*(?=[\u3040-\u9fff]))"
)
_TABLE = re.compile(
    rf"\s*(?P<kind>Table|TABLE|Tabelle|Tab\.|表)\s?{_NUMBER}(?:\s?[:|–—]|\.(?:\s|$)|\s+(?=[A-ZÄÖÜ])|\s*$)"
)
_LEADERS = re.compile(r"(?:\.\s?){4,}|… *\d+\s*$|…{2,}")
_SENTENCE_END = re.compile(r"[.:;!?。)\]\"”]\s*$")
_MAX_CAPTION_LINES = 15  # Maximum number of lines in a caption; a longer caption would include running text.
_MAX_CAPTIONS = 50  # Maximum number of captions on a page; a page with more is a list of figures.


@dataclass(frozen=True, slots=True)
class Caption:
    """A caption: lines `first` to `last` (exclusive) of a page. `label` is the printed label, for example "Figure 3";
    `number` is the number in it, "3"."""

    label: str
    number: str
    first: int
    last: int
    box: Box


def captions_of(lines: list[Line]) -> list[Caption]:
    """Return the figure captions of a page in reading order; none if the page lists figures with dot leaders."""
    captions = _captions_like(_CAPTION, lines)[:_MAX_CAPTIONS]
    texts = (line.text for caption in captions for line in lines[caption.first : caption.last])
    return [] if any(map(_LEADERS.search, texts)) else captions


def table_captions_of(lines: list[Line]) -> list[Caption]:
    """Return the table captions of a page in reading order. The regions of figures do not extend over them."""
    return _captions_like(_TABLE, lines)[:_MAX_CAPTIONS]


def _captions_like(pattern: re.Pattern[str], lines: list[Line]) -> list[Caption]:
    captions = []
    for index, line in enumerate(lines):
        mark = pattern.match(line.text)
        if mark and not _within_a_sentence(lines, index):
            last = _caption_end(lines, index)
            box = union([each.box for each in lines[index:last]])
            captions.append(Caption(f"{mark['kind']} {mark['number']}", mark["number"], index, last, box))
    return captions


def _within_a_sentence(lines: list[Line], index: int) -> bool:
    """Return whether the sentence of the previous line continues in this line."""
    if index == 0:
        return False
    last, line = lines[index - 1], lines[index]
    if last.text.endswith(HYPHEN):
        return True
    near = 0 <= line.box[1] - last.box[1] < 2 * max(line.size, last.size)
    beside = last.box[0] < line.box[2] and line.box[0] < last.box[2]
    same = abs(last.size - line.size) < 0.5
    return near and beside and same and not _SENTENCE_END.search(last.text) and len(last.text) > 30


def _caption_end(lines: list[Line], first: int) -> int:
    last = first + 1
    while last < len(lines) and last - first < _MAX_CAPTION_LINES:
        if _CAPTION.match(lines[last].text) or starts_new(lines[last], lines[first:last]):
            break
        last += 1
    return last
