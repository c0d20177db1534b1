"""One page read: its lines, figures, tables and losses."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from corpus.blocks import Box
from corpus.readers.ocr.upright import Frame
from corpus.readers.pdf.annotations import Marks, page_as_shown
from corpus.readers.pdf.comments import with_comments
from corpus.readers.pdf.figures import Figure
from corpus.readers.pdf.floats import floats_of
from corpus.readers.pdf.forms import with_values
from corpus.readers.pdf.lines import Line
from corpus.readers.pdf.listings import with_listings
from corpus.readers.pdf.objects import objects_of
from corpus.readers.pdf.order import in_reading_order
from corpus.readers.pdf.page_text import PageText
from corpus.readers.pdf.pdfium import pdfium
from corpus.readers.pdf.scan_pages import is_scan
from corpus.readers.pdf.shown import shown
from corpus.readers.pdf.tables.page_tables import Table
from corpus.readers.pdf.tables.rules import rules_of
from corpus.readers.pdf.turned_pages import AsShown, upright


@dataclass(slots=True)
class Page:
    """`hidden` counts characters left out. `is_picture`: a picture of text, such as a scan, without text of its own.

    `nonsense` counts characters left out because their fonts name others than they draw, `gaps` unnamed characters
    of words.
    """

    number: int
    lines: list[Line] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    size: tuple[float, float] = (0.0, 0.0)
    hidden: int = 0
    left_out: Counter[str] = field(default_factory=Counter)  # Other losses by kind, in the singular.
    is_picture: bool = False
    nonsense: int = 0
    gaps: int = 0
    is_damaged: bool = False
    is_filled: bool = False  # Whether recognition has looked for the unnamed characters.
    given_up: str = ""  # Why text recognition gave up, where it did.
    frame: Frame | None = None
    """How the page lies, if its lines were recognised; `size` and boxes are those of the upright page."""

    words: dict[Box, str] = field(default_factory=dict)
    """Words recognised in figures of a page that was recognised as a whole, by the figure's box."""

    @property
    def lacks_text(self) -> bool:
        """Whether the page shows text that it does not hold as text."""
        return self.is_picture or bool(self.nonsense or self.gaps)

    @property
    def is_unread(self) -> bool:
        """Whether the page lacks text and no recognition has looked at it."""
        return self.lacks_text and not (self.frame or self.is_filled or self.given_up)


def look_at(document: pdfium.PdfDocument, number: int) -> Page:
    """Read page `number` (from 1). A damaged page comes back empty and marked."""
    try:
        page, marks = page_as_shown(document, number)
    except pdfium.PdfiumError:
        return Page(number, is_damaged=True)
    try:
        with upright(page) as direction:
            result = _read_page(page, number, marks)
        return _on_shown_page(result, direction) if direction else result
    except pdfium.PdfiumError:
        return Page(number, is_damaged=True)
    finally:
        page.close()


def _read_page(page: pdfium.PdfPage, number: int, marks: Marks) -> Page:
    geometry = shown(page)
    objects = list(objects_of(page))
    rules = rules_of(objects, geometry)
    text = PageText(page, geometry, marks, rules)
    try:
        lines = in_reading_order(with_values(list(text.lines()), text.fields), geometry.size)
        body_lines = with_listings(lines)
        lines = with_comments(body_lines, marks.comments, geometry)
        figures, tables = floats_of(page, text, geometry, lines, objects, rules)
        return Page(
            number,
            lines,
            figures,
            tables,
            geometry.size,
            text.hidden,
            marks.left_out + Counter({"line number": text.line_numbers, "struck passage": text.struck}),
            is_picture=is_scan(page, geometry, body_lines),
            nonsense=text.unmapped.nonsense,
            gaps=text.unmapped.gaps,
        )
    finally:
        text.close()


def _on_shown_page(page: Page, direction: int) -> Page:
    """The page's content, found on the upright page, in places of the page as the file shows it."""
    there = AsShown(direction, page.size)
    width, height = page.size
    return replace(
        page,
        lines=list(map(there.line, page.lines)),
        figures=list(map(there.figure, page.figures)),
        tables=list(map(there.table, page.tables)),
        size=(height, width) if direction in (90, 270) else page.size,
    )
