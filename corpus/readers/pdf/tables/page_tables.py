"""Tables of a page with their pictures."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.documents.block import Box, Picture
from corpus.readers.pdf.graphics.captions import Caption, table_captions_of
from corpus.readers.pdf.graphics.figures import PICTURE_BYTES, Figure
from corpus.readers.pdf.graphics.render import crop
from corpus.readers.pdf.page_geometry import PageGeometry, contains
from corpus.readers.pdf.page_objects import Drawings
from corpus.readers.pdf.pdfium import pdfium
from corpus.readers.pdf.rules import Rules
from corpus.readers.pdf.tables.detection import find_tables
from corpus.readers.pdf.tables.grid import Grid
from corpus.readers.pdf.tables.words import Word, words_of
from corpus.readers.pdf.text.lines import Line
from corpus.readers.pdf.text.page_text import PageCharacters

_MARGIN = 3.0  # Points around a table's picture, for its outer rules.
_MIN_RULES = 2  # Level rules of a page that is searched.
_MIN_ROWS = 3  # Lines with wide gaps of a page that is searched.


@dataclass(frozen=True, slots=True)
class Table:
    """`inside` holds the indexes of the lines within its box. `grid` is None where it cannot be read safely."""

    caption: Caption | None
    box: Box
    inside: tuple[int, ...]
    grid: Grid | None
    picture: Picture

    @property
    def covered_lines(self) -> set[int]:
        """Indexes of the lines that its grid and caption contain; none without a grid."""
        if self.grid is None:
            return set()
        return {*self.inside, *(range(self.caption.first, self.caption.last) if self.caption else ())}


def tables_of(
    page: pdfium.PdfPage,
    text: PageCharacters,
    geometry: PageGeometry,
    lines: list[Line],
    rules: Rules,
    drawings: Drawings,
    figures: list[Figure],
) -> list[Table]:
    """Tables from top to bottom, without those within figures, but with figures that are nothing but a table. Pages
    without signs of a table are not searched."""
    captions = table_captions_of(lines)
    if not captions and not _may_have_some(lines, rules):
        return []
    apart = {
        start: (end, [Word(word.text, word.box, direction) for word in its_words])
        for start, end, its_words, direction in text.turned_lines
    }
    words = words_of(text.text, text.handle, geometry, rules.upright, apart, text.insertions)
    words += [Word("[x]" if each.is_ticked else "[ ]", each.box) for each in text.fields if each.is_ticked is not None]
    return [
        Table(
            each.caption,
            each.box,
            _lines_inside(each.box, each.caption, lines),
            each.grid,
            _picture(page, each.box),
        )
        for each in find_tables(captions, words, rules, drawings, figures)
    ]


def _may_have_some(lines: list[Line], rules: Rules) -> bool:
    return len(rules.level) >= _MIN_RULES or sum(line.scattered for line in lines) >= _MIN_ROWS


def _lines_inside(box: Box, caption: Caption | None, lines: list[Line]) -> tuple[int, ...]:
    return tuple(
        index
        for index, line in enumerate(lines)
        if contains(box, line.box) and not line.is_comment and not (caption and caption.first <= index < caption.last)
    )


def _picture(page: pdfium.PdfPage, box: Box) -> Picture:
    width, height = page.get_size()
    left, top, right, bottom = box
    wide = (
        max(0.0, left - _MARGIN),
        max(0.0, top - _MARGIN),
        min(width, right + _MARGIN),
        min(height, bottom + _MARGIN),
    )
    return crop(page, wide, PICTURE_BYTES)
