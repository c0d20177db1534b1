"""Blocks of figures and tables: picture, caption and text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from corpus.documents.block import Box
from corpus.readers.elements.block_builder import TablePart, table_parts
from corpus.readers.elements.captions import Mentions
from corpus.readers.elements.element import Table as Rows
from corpus.readers.pdf.caption_lines import Caption
from corpus.readers.pdf.page_figures import Figure
from corpus.readers.pdf.pages import Page
from corpus.readers.pdf.sections import INSIDE, Piece, Section, lines_of_pieces
from corpus.readers.pdf.tables.detection import Table
from corpus.readers.pdf.tables.grid import Cell, Grid
from corpus.readers.pdf.text.lines import Line, Words, join_lines
from corpus.readers.protocol import ReadBlock
from corpus.text.normalization import clean

_MAX_CAPTION = 1500  # Maximum caption length in characters, the size of a block; longer captions include running text.
_MAX_SLIDE_TEXT = 900  # Maximum number of characters next to a slide's picture; longer text has other subjects too.


def picture_blocks(
    page: Page, label: str | None, sections: list[Section], words: Words, mentions: Mentions
) -> Iterator[ReadBlock]:
    """Yield one block per figure: first the captioned figures in order, then the others."""
    for number, figure in enumerate(page.figures, 1):
        heading = heading_at(_line_of(figure), sections)
        caption = caption_of(figure, page.lines, words) or (heading or "").split(" > ")[-1] or None
        description = mentions.of(figure.caption.number) if figure.caption else _text_beside(_line_of(figure), sections)
        content = "\n".join(part for part in (description, _text_inside(figure, page.lines)) if part)
        yield ReadBlock(
            place=f"p{page.number}-f{number}",
            block_type="image",
            content=content,
            image_caption=caption,
            picture=figure.picture,
            page_number=page.number,
            page_label=label,
            heading=heading,
            bbox=figure.box,
        )


def caption_of(figure: Figure, lines: list[Line], words: Words) -> str:
    """Return the caption as one line or, without a caption, the title above the figure; empty if there is neither."""
    caption = figure.caption
    texts = (lines[i].text for i in (range(caption.first, caption.last) if caption else figure.title))
    return " ".join(clean(join_lines(texts, words)).split())[:_MAX_CAPTION]


def heading_at(line: int, sections: list[Section]) -> str | None:
    """Return the heading path at a line of the page."""
    return _section_at(line, sections).heading


def _section_at(line: int, sections: list[Section]) -> Section:
    before = [section for section in sections if section.start <= line]
    return (before or sections)[-1]


def _text_beside(line: int, sections: list[Section]) -> str:
    """Return the text of the slide that contains the line, because such text is about the slide's picture. Return an
    empty string if the section has too much text to be a slide."""
    section = _section_at(line, sections)
    text = "\n".join(clean(paragraph.text) for paragraph in section.paragraphs[section.headings :])
    return text if len(text) <= _MAX_SLIDE_TEXT else ""


def _line_of(figure: Figure) -> int:
    """Return the line that determines the figure's heading: its caption if it has one, otherwise its text or title."""
    if figure.caption:
        return figure.caption.first
    return min(figure.inside, default=figure.title[-1] if figure.title else 0)


def _text_inside(figure: Figure, lines: list[Line]) -> str:
    return clean("\n".join(lines[index].text.strip(" \x02") for index in figure.inside))[:INSIDE]


_RULE = "\n| --- |"


@dataclass(frozen=True, slots=True)
class TableRows:
    """The rows of a table as text. The first `header` rows are header rows. `on_page` maps each row to a row of the
    grid, or to None if the row is on another page. `cells` are the cells of the grid."""

    rows: tuple[tuple[str, ...], ...]
    header: int
    on_page: tuple[int | None, ...]
    cells: tuple[Cell, ...]


def pieces_of(part: TablePart, table: TableRows, caption: Piece) -> Iterator[Piece]:
    """Yield the caption, then the column titles if the rows are below them, and then the cells row by row."""
    yield caption
    cells = {(cell.row, cell.column): cell for cell in table.cells}
    if _RULE in part.text:
        yield from _titles(table, cells)
    for number in range(part.first, part.last + 1):
        row = table.on_page[number]
        for column, text in enumerate(table.rows[number]):
            yield _cell_text(text), _cell_lines(row, column, cells)


def _titles(table: TableRows, cells: dict[tuple[int, int], Cell]) -> Iterator[Piece]:
    head = range(table.header)
    for column, titles in enumerate(zip(*table.rows[: table.header], strict=True)):
        text = " ".join(dict.fromkeys(filter(None, map(_cell_text, titles))))
        yield text, tuple(line for row in head for line in _cell_lines(table.on_page[row], column, cells))


def _cell_lines(row: int | None, column: int, cells: dict[tuple[int, int], Cell]) -> tuple[tuple[str, Box], ...]:
    cell = None if row is None else cells.get((row, column))
    if cell is None or len(cell.lines) != len(cell.boxes):
        return ()
    return tuple(zip(cell.lines, cell.boxes, strict=True))


def _cell_text(text: str) -> str:
    return " ".join(clean(text).split()).replace("|", "\\|")


Head = tuple[tuple[str, ...], ...]
_MAX_SIDE_SHIFT = 8.0
"""Maximum distance in points between the sides of a table's parts on two pages. Binding margins shift a table
farther."""

_MAX_TOP = 0.25  # Maximum position of the top edge of a table's continuation, as a fraction of the page's height.
_MIN_BOTTOM = 0.7  # Minimum position of the bottom edge of a continued table, as a fraction of the page's height.
_CONTINUED = re.compile(r"contin|cont\.|cont’d|cont'd|fortsetzung|forts\.|suite|续|続", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Start:
    """The page and index (0-based) of a table's first part."""

    page: int
    number: int


def starts_of(pages: Sequence[Page]) -> dict[tuple[int, int], Start]:
    """Return, for each table part on a later page, the start of its table. The keys are the part's page and index."""
    starts: dict[tuple[int, int], Start] = {}
    for before, page in pairwise(pages):
        if not before.tables or not page.tables:
            continue
        last = len(before.tables) - 1
        if _continues(before.tables[last], before, page.tables[0], page):
            starts[page.number, 0] = starts.get((before.number, last), Start(before.number, last))
    return starts


def _continues(last: Table, before: Page, first: Table, page: Page) -> bool:
    if not last.grid or not first.grid or last.grid.width != first.grid.width:
        return False
    sides = abs(last.box[0] - first.box[0]) <= _MAX_SIDE_SHIFT and abs(last.box[2] - first.box[2]) <= _MAX_SIDE_SHIFT
    at_edges = last.box[3] > _MIN_BOTTOM * before.size[1] and first.box[1] < _MAX_TOP * page.size[1]
    if not sides or not at_edges:
        return False
    if first.caption is None:
        return True
    words = " ".join(line.text for line in page.lines[first.caption.first : first.caption.last])
    return bool(_CONTINUED.search(words))


_MAX_WORDS = 1500  # Maximum number of characters of a table's text in the block with its picture.
_MAX_LABEL = 120  # Maximum length of a merged cell's text repeated in each row; longer text is only in the first row.
Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableBlocks:
    """The blocks of one table, and the page line at which the table is inserted."""

    line: int
    blocks: list[ReadBlock]


class Tables:
    """Builds the blocks of each page's tables. A table that started on an earlier page gets its header rows and caption
    from there."""

    def __init__(self, pages: Sequence[Page], words: Words, mentions: Mentions) -> None:
        self._pages = {page.number: page for page in pages}
        self._starts = starts_of(pages)
        self._words = words
        self._mentions = mentions

    def of(self, page: Page, label: str | None, sections: list[Section]) -> Iterator[TableBlocks]:
        """Yield the blocks of the page's tables in order. `label` is the page's printed label."""
        for number, table in enumerate(page.tables):
            line = min((*table.inside, *([table.caption.first] if table.caption else [])), default=0)
            heading = heading_at(line, sections)
            caption = self._caption(page, number)
            parts, places = self._parts(page, number, caption)
            own = self._own_caption(page, table, caption)
            place = f"p{page.number}-t{number + 1}"
            blocks = [
                ReadBlock(
                    place=place if number_of_part == 1 else f"{place}-{number_of_part}",
                    block_type="text",
                    content=part.text,
                    page_number=page.number,
                    page_label=label,
                    heading=heading,
                    bbox=table.box,
                    lines=lines_of_pieces(pieces_of(part, places, own), part.text, self._words),
                )
                for number_of_part, part in enumerate(parts, 1)
            ]
            picture = ReadBlock(
                place=f"{place}f",
                block_type="image",
                content="\n".join(filter(None, (self._mentions_of(page, number), self._text_in(page, table)))),
                image_caption=caption or (heading or "").split(" > ")[-1] or None,
                picture=table.picture,
                page_number=page.number,
                page_label=label,
                heading=heading,
                bbox=table.box,
            )
            yield TableBlocks(line, [*blocks, picture])

    def _parts(self, page: Page, number: int, caption: str | None) -> tuple[list[TablePart], TableRows]:
        """Return the table as Markdown parts, and the origin of its rows."""
        grid = page.tables[number].grid
        if grid is None:
            return [], TableRows((), 0, (), ())
        head, body = self._rows(grid, 0, grid.header), self._rows(grid, grid.header, grid.height)
        start = self._starts.get((page.number, number))
        first = self._pages[start.page].tables[start.number].grid if start else None
        if first:
            own, head = head, self._rows(first, 0, first.header)
            body = body if own == head else [*own, *body]
        rows = Rows(rows=(*head, *body), header=len(head), caption=caption)
        # The header of a continued table is on another page.
        from_head = grid.height - len(body)
        head_rows = [None] * len(head) if len(head) != from_head else list(range(from_head))
        places = TableRows(rows.rows, len(head), (*head_rows, *range(from_head, grid.height)), grid.cells)
        return list(table_parts(rows)), places

    def _own_caption(self, page: Page, table: Table, caption: str | None) -> Piece:
        """Return the caption's text and lines; no lines if the caption is on an earlier page."""
        if caption is None or table.caption is None:
            return caption or "", ()
        lines = page.lines[table.caption.first : table.caption.last]
        return caption, tuple((line.text, line.box) for line in lines)

    def _caption_of(self, page: Page, number: int) -> tuple[Page, Caption | None]:
        """Return the caption of a table, or of its first part, and the page of that caption."""
        start = self._starts.get((page.number, number))
        if page.tables[number].caption is None and start:
            page, number = self._pages[start.page], start.number
        return page, page.tables[number].caption

    def _caption(self, page: Page, number: int) -> str | None:
        page, own = self._caption_of(page, number)
        if own is None:
            return None
        texts = (line.text for line in page.lines[own.first : own.last])
        return " ".join(clean(join_lines(texts, self._words)).split())[:_MAX_CAPTION] or None

    def _mentions_of(self, page: Page, number: int) -> str:
        _, caption = self._caption_of(page, number)
        if caption is None:
            return ""
        is_figure = not caption.label.casefold().startswith(("tab", "表"))
        return self._mentions.of(caption.number, "figure" if is_figure else "table")

    def _rows(self, grid: Grid, start: int, end: int) -> list[Row]:
        """Return the rows as text. The text of a merged cell is repeated in each row and column that the cell covers,
        so that each row and column has its title."""
        rows = [[""] * grid.width for _ in range(end - start)]
        for cell in grid.cells:
            if start <= cell.row < end:
                text = join_lines(cell.lines, self._words)
                for row, column in _places_of(cell, grid, len(text)):
                    if row < end:
                        rows[row - start][column] = text
        return [tuple(" ".join(text.split()) for text in row) for row in rows]

    def _text_in(self, page: Page, table: Table) -> str:
        if table.grid is None:
            texts: Sequence[str] = [page.lines[index].text for index in table.inside]
        else:
            texts = [" ".join(filter(None, row)) for row in self._rows(table.grid, 0, table.grid.height)]
        return clean("\n".join(text.strip(" \x02") for text in texts))[:_MAX_WORDS]


def _places_of(cell: Cell, grid: Grid, length: int) -> Iterator[tuple[int, int]]:
    """Yield the row and column positions at which to write the text of a cell; `length` is its length. A body cell
    across the entire width of the table is a title between rows and is not repeated."""
    is_head = cell.row < grid.header
    is_label = length <= _MAX_LABEL
    wide = is_head or (grid.is_ruled and is_label and cell.columns < grid.width)
    rows = range(cell.row, cell.row + (cell.rows if is_label and not is_head else 1))
    for row in rows:
        for column in range(cell.column, cell.column + (cell.columns if wide else 1)):
            yield row, column
