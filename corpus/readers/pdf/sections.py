"""Paragraphs of a page under their headings, without headers, footers and the text of figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from corpus.documents.block import Box
from corpus.documents.line_boxes import LineBox
from corpus.readers.chunking import MAX_BLOCK, TARGET_BLOCK, HeadingPath
from corpus.readers.pdf.page_geometry import union
from corpus.readers.pdf.pages import Page
from corpus.readers.pdf.text.headers_footers import RunningLines
from corpus.readers.pdf.text.lines import Line, Words, join, without_mark
from corpus.readers.pdf.text.paragraphs import Paragraph, paragraph, paragraphs_of, split_paragraph
from corpus.readers.pdf.text.pdf_headings import Heading, Headings
from corpus.readers.protocol import ReadBlock
from corpus.text.normalization import clean


def lines_of_parts(parts: Sequence[Paragraph], content: str) -> tuple[LineBox, ...]:
    """Return the line boxes of a block whose content consists of these paragraphs, each of which starts a new line."""
    text = "\n".join(part.text for part in parts)
    clean_text = clean(text)
    lead = len(clean_text) - len(clean_text.lstrip("\n"))
    places = range(len(text) + 1) if clean_text == text else _places(text)
    lines, offset = [], 0
    for part in parts:
        ends = [*(start for start, _ in part.pieces[1:]), len(part.text)]
        for (start, box), end in zip(part.pieces, ends, strict=True):
            first, last = (places[min(offset + place, len(text))] for place in (start, max(start, end)))
            lines.append(LineBox(max(0, first - lead), min(len(content), max(0, last - lead)), box))
        offset += len(part.text) + 1
    return tuple(line for line in lines if line.start < line.end)


def _places(text: str) -> list[int]:
    """Return, for each offset, the length of the cleaned text before it. A line end of two characters counts as one
    character."""
    lengths = (
        0 if char == "\n" and before == "\r" else len(clean(char))
        for before, char in zip(f" {text}", text, strict=False)
    )
    return list(accumulate(lengths, initial=0))


Piece = tuple[str, tuple[tuple[str, Box], ...]]
"""Text of a cell or caption as it appears in a block, and its lines with their boxes."""


def lines_of_pieces(pieces: Iterator[Piece], content: str, words: Words) -> tuple[LineBox, ...]:
    """Return the line boxes of a block that contains these pieces in this order. Missing pieces are skipped."""
    lines: list[LineBox] = []
    place = 0
    for text, its_lines in pieces:
        at = content.find(text, place) if text else -1
        if at < 0:
            continue
        place = at + len(text)
        lines += _lines_of_piece(its_lines, at, place, words)
    return tuple(lines)


def _lines_of_piece(its_lines: Sequence[tuple[str, Box]], at: int, end: int, words: Words) -> Iterator[LineBox]:
    text, starts = "", []
    for line, _ in its_lines:
        text = join(text, line.strip(), words)
        starts.append(max(0, len(without_mark(text)) - len(line.strip())))
    for number, (_, box) in enumerate(its_lines):
        first = at + starts[number]
        last = at + starts[number + 1] if number + 1 < len(its_lines) else end
        if first < min(last, end):
            yield LineBox(first, min(last, end), box)


_MIN_BLOCK = 300  # Minimum block length in characters; a shorter block has too little content to be found or cited.


@dataclass(slots=True)
class Section:
    """Paragraphs of one page under one heading path. The first `headings` paragraphs are headings."""

    heading: str | None
    start: int = 0  # Index of the section's first line on the page.
    paragraphs: list[Paragraph] = field(default_factory=list)
    headings: int = 0
    is_notes: bool = False  # Whether the section contains the page's footnotes.


def text_blocks(
    sections: list[Section], page_number: int, label: str | None, floats: Sequence[int] = ()
) -> Iterator[tuple[int, ReadBlock]]:
    """Yield the blocks of a page in order, each with the index of its first line. If possible, a block ends where a
    figure or table is inserted; `floats` contains these lines."""
    number = 0
    for section in sections:
        for parts in _block_parts(section.paragraphs, floats):
            content = clean("\n".join(part.text for part in parts)).lstrip("\n").rstrip()
            if not content:
                continue
            number += 1
            yield (
                parts[0].first,
                ReadBlock(
                    place=f"p{page_number}-{number}",
                    block_type="text",
                    content=content,
                    page_number=page_number,
                    page_label=label,
                    heading=section.heading,
                    bbox=union([part.box for part in parts]),
                    lines=lines_of_parts(parts, content),
                ),
            )


def _block_parts(paragraphs: list[Paragraph], floats: Sequence[int]) -> Iterator[list[Paragraph]]:
    """Yield groups of parts, each group about the size of a block. A short part is joined with its neighbour if the
    result fits into a block."""
    run: list[Paragraph] = []
    length = 0
    parts = [part for paragraph in paragraphs for part in split_paragraph(paragraph)]
    remaining = sum(len(part.text) + 1 for part in parts)
    for part in parts:
        size = len(part.text) + 1
        is_at_float = min(length, remaining) >= _MIN_BLOCK and any(
            run[-1].first < place <= part.first for place in floats
        )
        if run and (is_at_float or length + size > (MAX_BLOCK if min(length, size) < _MIN_BLOCK else TARGET_BLOCK)):
            yield run
            run, length = [], 0
        run.append(part)
        length += size
        remaining -= size
    if run:
        yield run


# Text of at most this many characters above a heading joins the section of that heading ("Chapter 1", a stray mark).
_MAX_ORPHAN = 30
INSIDE = 1500  # Figure text of up to this many characters is only in the figure's block; longer text is also page text.


class Sections:
    """Builds the sections of a document. Pages must be passed in order, because a heading applies until the next one,
    across pages."""

    def __init__(self, running: RunningLines, headings: Headings, words: Words, title: str | None) -> None:
        self._running, self._headings, self._words, self._title = running, headings, words, title
        self._path = HeadingPath()

    def of(self, page: Page) -> list[Section]:
        """Return the sections of the page. The first section may be under a heading of an earlier page."""
        running_lines = self._running.of(page.number, page.lines, page.size)
        lines = self._running_text(page, running_lines)
        groups = list(paragraphs_of([line for _, line in lines]))
        headings = [self._heading(group, page) for group in groups]
        heads, feet = self._news(page, running_lines)
        if not any(headings):
            for entry in self._headings.outline_headings(page.number):
                self._path.enter(entry.level, entry.title)
        starts = {id(line): index for index, line in lines}
        sections = [Section(self._path.text, paragraphs=heads)]
        for group, heading in zip(groups, headings, strict=True):
            if group[0].is_note and not sections[-1].is_notes:
                sections.append(Section(self._path.text, starts[id(group[0])], is_notes=True))
            if heading:
                self._path.enter(heading.level, heading.title)
                if sum(len(each.text) for each in sections[-1].paragraphs[sections[-1].headings :]) > _MAX_ORPHAN:
                    sections.append(Section(self._path.text, starts[id(group[0])]))
                sections[-1].heading = self._path.text
                sections[-1].headings = len(sections[-1].paragraphs) + 1
            sections[-1].paragraphs.append(paragraph(group, self._words, starts[id(group[0])]))
        if feet and sections[-1].is_notes:
            sections.append(Section(self._path.text, feet[0].first))
        sections[-1].paragraphs += feet
        return sections

    def _news(self, page: Page, running_lines: set[int]) -> tuple[list[Paragraph], list[Paragraph]]:
        """Return the new text of the page's headers, and that of its footers and marginal marks."""
        heads, feet = list[Paragraph](), list[Paragraph]()
        for index, line in self._running.new_text(page.number, page.lines, running_lines):
            is_head = line.box[3] < page.size[1] / 2 and not line.is_upright
            (heads if is_head else feet).append(paragraph([line], self._words, index))
        return heads, feet

    def _heading(self, group: list[Line], page: Page) -> Heading | None:
        if group[0].is_note:
            return None
        return self._headings.of(group, page.number, self._title if page.number == 1 else None)

    def _running_text(self, page: Page, running_lines: set[int]) -> list[tuple[int, Line]]:
        excluded = set(running_lines)
        for table in page.tables:
            excluded.update(table.covered_lines)
        for figure in page.figures:
            if figure.caption:
                excluded.update(range(figure.caption.first, figure.caption.last))
            if sum(len(page.lines[index].text) for index in figure.inside) <= INSIDE:
                excluded.update(figure.inside)
        return [(index, line) for index, line in enumerate(page.lines) if index not in excluded]
