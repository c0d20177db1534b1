"""Paragraphs of a page under their headings, without headers, footers and text in figures."""

from __future__ import annotations

from corpus.readers.chunking import HeadingPath
from corpus.readers.pdf.blocks import Section
from corpus.readers.pdf.pages import Page
from corpus.readers.pdf.text.headers_footers import RunningLines
from corpus.readers.pdf.text.headings import Heading, Headings
from corpus.readers.pdf.text.hyphenation import Words
from corpus.readers.pdf.text.lines import Line
from corpus.readers.pdf.text.paragraphs import Paragraph, paragraph, paragraphs_of

_MAX_ORPHAN = 30  # Characters; shorter text above a heading stays with it ("Chapter 1", a stray mark).
INSIDE = 1500  # Characters of a figure's text that go with its picture; more is text of the page as well.


class Sections:
    """Takes pages in order, because headings continue over pages."""

    def __init__(self, running: RunningLines, headings: Headings, words: Words, title: str | None) -> None:
        self._running, self._headings, self._words, self._title = running, headings, words, title
        self._path = HeadingPath()

    def of(self, page: Page) -> list[Section]:
        """The sections of the page. The first may continue a heading of an earlier page."""
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
        """New text of the page's headers, and of its footers and marginal marks."""
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
