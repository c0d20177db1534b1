"""Build blocks from elements. Prose under one heading is merged up to the size of a block; tables and figures become
separate blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from corpus.documents.document import OutlineEntry
from corpus.readers.chunking import MAX_BLOCK, TARGET_BLOCK, HeadingPath, split_spans
from corpus.readers.elements.captions import MAX_TABLE_CAPTION, Captions, Figures
from corpus.readers.elements.element import (
    About,
    Element,
    Elements,
    Figure,
    Heading,
    Page,
    Paragraph,
    Table,
    left_out_warnings,
)
from corpus.readers.languages import Languages
from corpus.readers.placeholder_metadata import real_author, real_title
from corpus.readers.protocol import PageDone, ReadBlock, ReadDocument, Step
from corpus.readers.typography import count_unknown_symbols
from corpus.text.normalization import clean

_MAX_HEAD = MAX_BLOCK // 2
"""Maximum length of a repeated table header in characters. If it is longer, each cell gets its column title instead."""

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TablePart:
    """A part of a table: its text, which is at most as long as a block, and its first and last row (inclusive)."""

    text: str
    first: int
    last: int


def table_parts(table: Table) -> Iterator[TablePart]:
    """Yield the parts of a table in order. A table without text has no parts."""
    rows = [tuple(_tidy(cell) for cell in row) for row in table.rows]
    used = [n for n in range(max(map(len, rows), default=0)) if any(n < len(row) and row[n] for row in rows)]
    rows = [tuple(row[n] if n < len(row) else "" for n in used) for row in rows]
    if not used:
        return
    caption = f"{_tidy(table.caption)[:MAX_TABLE_CAPTION]}\n\n" if table.caption else ""
    if len(used) == 1 or len(rows) == 1:
        yield from _runs(rows, caption, "", 0)
        return
    first_row = next(number for number, row in enumerate(rows) if any(row))
    count = min(max(table.header, first_row + 1), len(rows)) if table.header else 0
    head = _head(rows[:count], len(used))
    if len(head) > _MAX_HEAD:
        yield from _records(rows, count, caption)
    else:
        yield from _runs(rows, caption, head, count, bars=True)


def markdown_row(row: Row) -> str:
    """Return a row as a line of a Markdown table."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def _head(rows: list[Row], width: int) -> str:
    """Return the Markdown header and the rule below it. Markdown requires a header; if the table has none, it is
    empty."""
    titles = rows[0] if rows else ("",) * width
    for row in rows[1:]:
        titles = tuple(" ".join(dict.fromkeys(filter(None, pair))) for pair in zip(titles, row, strict=True))
    return markdown_row(titles) + "\n|" + " --- |" * width + "\n"


def _runs(rows: list[Row], caption: str, head: str, start: int, bars: bool = False) -> Iterator[TablePart]:
    """Yield parts, each with as many rows as fit."""
    top = caption + head
    run, first, done = "", 0, False
    for number, row in enumerate(rows[start:], start):
        if not any(row):
            continue
        line = markdown_row(row) if bars else " – ".join(filter(None, row))
        if run and len(top) + len(run) + len(line) > MAX_BLOCK:
            yield TablePart(top + run.rstrip("\n"), first, number - 1)
            run, first, done = "", number, True
        if len(top) + len(line) > MAX_BLOCK:
            yield from _record(row, rows[:start], number, caption)
            first, done = number + 1, True
            continue
        run += line + "\n"
    if run or not done:  # a header without rows is also a part
        yield TablePart((top + run).rstrip("\n"), first, len(rows) - 1)


def _records(rows: list[Row], count: int, caption: str) -> Iterator[TablePart]:
    for number, row in enumerate(rows[count:], count):
        yield from _record(row, rows[:count], number, caption)


def _record(row: Row, head: list[Row], number: int, caption: str) -> Iterator[TablePart]:
    """Yield a row that is too long for a table line: one line per cell, each with the cell's column title."""
    titles = [" ".join(dict.fromkeys(filter(None, column))) for column in zip(*head, strict=True)]
    titles = titles or [""] * len(row)
    lines = (f"{title}: {cell}" if title else cell for title, cell in zip(titles, row, strict=True) if cell)
    run = caption
    for piece in (line[start:end].strip() for line in lines for start, end in split_spans(line)):
        if run and len(run) + len(piece) > MAX_BLOCK:
            yield TablePart(run.rstrip("\n"), number, number)
            run = ""
        run += piece + "\n"
    if run != caption:
        yield TablePart(run.rstrip("\n"), number, number)


def _tidy(cell: str) -> str:
    return " ".join(clean(cell).split())


MAX_OUTLINE = 10_000
"""Maximum number of entries in an outline; nobody reads a longer one."""
_SIGN_OF_LIFE = 200
"""Number of elements or blocks between two progress steps."""
_MAX_HEADING = 200
"""Maximum length of a heading, in characters."""
_ITEM = re.compile(r"\s*(?:([-*•])|\d{1,3}[.)]|[a-z]\))\s")
_MAX_INTRODUCTION = 400
"""Maximum length, in characters, of prose that is put into the block of the table below it: an introductory
sentence."""


def steps_of(elements: Elements, about: About, separator: str = "\n") -> Iterator[Step]:
    """Yield the steps of a reader from the elements that it yields. `about` is read after the last element. `separator`
    is put between two paragraphs of a block; list items are always on successive lines."""
    seen: list[Element] = []
    yield PageDone(0)
    for element in elements:
        seen.append(element)
        if len(seen) % _SIGN_OF_LIFE == 0 or isinstance(element, Table | Figure | Page):
            yield PageDone(len(seen) // _SIGN_OF_LIFE)
    builder = Blocks(seen, separator)
    languages, blocks = Languages(), list[ReadBlock]()
    for block in builder.blocks():
        languages.see(block)
        blocks.append(block)
        about.left_out["symbol"] += count_unknown_symbols(block.content)
        if len(blocks) % _SIGN_OF_LIFE == 0 or block.picture:
            yield PageDone(len(seen) // _SIGN_OF_LIFE)
    yield from map(languages.settled, blocks)
    first = builder.outline[0].title if builder.outline and about.titled_by_heading else None
    yield ReadDocument(
        title=real_title(_line(about.title)) or first,
        author=real_author(_line(about.author)),
        document_date=about.document_date,
        page_count=about.page_count,
        language=languages.main,
        outline=tuple(builder.outline[:MAX_OUTLINE]),
        warnings=(*about.warnings, *left_out_warnings(about.left_out, about.unseen), *builder.warnings()),
    )


class Blocks:
    """Builds blocks in one pass over the elements. `outline` and `warnings` are complete once `blocks` is exhausted."""

    def __init__(self, elements: Sequence[Element], separator: str = "\n") -> None:
        self._elements, self._separator = elements, separator
        self._captions = Captions(elements)
        self._figures = Figures(elements, self._captions)
        self._path = HeadingPath()
        self._page: int | None = None
        self._number = 0
        self._run: list[str] = []
        self._figures_to_come: list[ReadBlock] = []
        self._has_prose = False
        self._begins_with_code = False
        self._heading: str | None = None
        self.outline: list[OutlineEntry] = []

    def blocks(self) -> Iterator[ReadBlock]:
        """Yield the blocks in reading order."""
        for index, element in enumerate(self._elements):
            match element:
                case Page():
                    yield from self._start_page(element)
                case Heading():
                    yield from self._add_heading(element)
                case Paragraph() if index not in self._captions.used:
                    yield from self._add_prose(element)
                case Table():
                    yield from self._add_table(index, element)
                case Figure():
                    self._add_figure(index, element)
        yield from self._flush()

    def warnings(self) -> Iterator[str]:
        """Yield sentences about omitted pictures and outline entries."""
        if self._figures.unshown:
            yield (
                f"{_count_of(self._figures.unshown, 'picture')} left out: damaged, too large, or in a format "
                "that cannot be shown (EMF, WMF, SVG)."
            )
        if self._figures.left_out:
            yield f"{_count_of(self._figures.left_out, 'picture')} left out, because the document has too many."
        if len(self.outline) > MAX_OUTLINE:
            yield f"The outline has the first {MAX_OUTLINE} of {len(self.outline)} headings."

    def _start_page(self, page: Page) -> Iterator[ReadBlock]:
        yield from self._flush()
        self._page, self._number, self._path, self._heading = page.number, 0, HeadingPath(), None

    def _add_heading(self, heading: Heading) -> Iterator[ReadBlock]:
        """Add a heading. A heading without text below it is joined with the next heading."""
        text = _line(heading.text)
        if not text:
            return
        if self._has_prose or self._figures_to_come:
            yield from self._flush()
        self._path.enter(heading.level, text)
        self._heading = self._path.text
        self._run.append(text)
        if heading.listed:
            self.outline.append(OutlineEntry(text, heading.level, self._page))

    def _add_prose(self, paragraph: Paragraph) -> Iterator[ReadBlock]:
        text = clean(paragraph.text).strip("\n").rstrip()
        for start, end in split_spans(text):
            part = text[start:end].strip("\n").rstrip()
            length = sum(map(len, self._run)) + len(self._separator) * len(self._run) + len(part)
            if self._has_prose and length > TARGET_BLOCK:
                yield from self._flush()
            if not self._run:
                self._begins_with_code = paragraph.role == "code"
            self._run.append(part)
            self._has_prose = True

    def _add_table(self, index: int, table: Table) -> Iterator[ReadBlock]:
        """Yield the blocks of a table. A few words before the table are put into its block, because they introduce
        it."""
        parts = list(table_parts(replace(table, caption=self._captions.of.get(index))))
        before = self._joined_run()
        if table.where and not self._has_prose:
            self._run = []  # the cell range already contains the sheet's name
        if parts and not table.where and len(before) <= min(_MAX_INTRODUCTION, MAX_BLOCK - 2 - len(parts[0].text)):
            parts[0] = replace(parts[0], text=f"{before}\n\n{parts[0].text}".strip())
            self._run, self._has_prose = [], False
        yield from self._flush()
        for part in parts:
            where = table.where(part.first, part.last) if table.where else None
            lines = table.lines[part.first : part.last + 1]
            yield self._block(
                part.text,
                heading=where or self._heading,
                start_line=lines[0][0] if lines else None,
                end_line=lines[-1][1] if lines else None,
            )

    def _add_figure(self, index: int, figure: Figure) -> None:
        """Store a figure until the run of text around it ends."""
        display = self._figures.at(index, figure)
        if not display:
            return
        self._number += 1
        self._figures_to_come.append(
            ReadBlock(
                place=self._place("f"),
                block_type="image",
                content=display.content,
                image_caption=clean(display.caption) if display.caption else None,
                picture=display.picture,
                page_number=self._page,
                heading=self._heading,
                source_hash=display.source_hash,
            )
        )

    def _flush(self) -> Iterator[ReadBlock]:
        text = self._joined_run()
        for start, end in split_spans(text):  # together, many headings without text may be long
            part = text[start:end].rstrip()
            part = part.strip("\n") if self._begins_with_code else part.strip()
            yield self._block(part, heading=self._heading)
        yield from self._figures_to_come
        self._run, self._has_prose, self._figures_to_come, self._begins_with_code = [], False, [], False

    def _joined_run(self) -> str:
        if self._separator == "\n":
            return "\n".join(self._run)
        joined = "".join(self._run[:1])
        for above, part in pairwise(self._run):
            are_items = _item_mark(above) and _item_mark(above) == _item_mark(part)
            joined += ("\n" if are_items else self._separator) + part
        return joined

    def _block(
        self, text: str, *, heading: str | None, start_line: int | None = None, end_line: int | None = None
    ) -> ReadBlock:
        self._number += 1
        return ReadBlock(
            place=self._place(""),
            block_type="text",
            content=text,
            page_number=self._page,
            heading=heading,
            start_line=start_line,
            end_line=end_line,
        )

    def _place(self, kind: str) -> str:
        return f"e{kind}{self._number}" if self._page is None else f"p{self._page}-{kind}{self._number}"


def _item_mark(text: str) -> str:
    """Return the bullet of a list item, `1` if the item is numbered, otherwise an empty string."""
    match = _ITEM.match(text)
    return (match[1] or "1") if match else ""


def _line(text: str | None) -> str | None:
    return " ".join(clean(text or "").split())[:_MAX_HEADING] or None


def _count_of(count: int, noun: str) -> str:
    return f"1 {noun} was" if count == 1 else f"{count} {noun}s were"
