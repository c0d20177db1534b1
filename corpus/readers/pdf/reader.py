"""Reader for PDF files: a first pass over all pages, then the blocks from what the whole document shows."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from corpus.readers.elements.captions import Mentions
from corpus.readers.languages import Languages
from corpus.readers.ocr.figure_words import FigureWords
from corpus.readers.ocr.recognition import Recognition
from corpus.readers.ocr.scans import recognise, wants_words, with_recognised_words
from corpus.readers.pdf.blocks import Section, text_blocks
from corpus.readers.pdf.document import (
    attachment_count,
    author_of,
    date_of,
    labels_of,
    open_pdf,
    outline_of,
    title_of,
)
from corpus.readers.pdf.figure_blocks import picture_blocks
from corpus.readers.pdf.graphics.figures import Figure
from corpus.readers.pdf.pages import Page, read_page
from corpus.readers.pdf.sections import Sections
from corpus.readers.pdf.tables.table_blocks import Tables
from corpus.readers.pdf.text.headers_footers import RunningLines
from corpus.readers.pdf.text.headings import Headings, largest_text
from corpus.readers.pdf.text.hyphenation import Words
from corpus.readers.pdf.warnings import warnings_for
from corpus.readers.protocol import PageDone, ReadBlock, ReadDocument, Step

_MIN_PAGES = 3  # Pages with the same picture; two may compare.
_STEP = 4.0  # Points within which places count as one.


def drop_repeated(pages: Sequence[Page]) -> None:
    """Remove uncaptioned figures that three or more pages show at one place."""
    pages_with: dict[tuple[bytes, int, int], set[int]] = defaultdict(set)
    for page in pages:
        for figure in page.figures:
            pages_with[_picture_key(figure)].add(page.number)
    for page in pages:
        if any(figure.caption is None for figure in page.figures):
            page.figures = [
                figure
                for figure in page.figures
                if figure.caption or len(pages_with[_picture_key(figure)]) < _MIN_PAGES
            ]


def _picture_key(figure: Figure) -> tuple[bytes, int, int]:
    left, top, _, _ = figure.box
    return hashlib.sha256(figure.picture.data).digest(), round(left / _STEP), round(top / _STEP)


_BETWEEN = "\n\n"

Float = tuple[int, list[ReadBlock]]
"""The index of the line at which a figure or table stands, and its blocks."""


def order_blocks(texts: Iterable[tuple[int, ReadBlock]], floats: Iterable[Float]) -> Iterator[ReadBlock]:
    """Yield each text behind the floats before its first line, with offsets.

    Offsets count characters of the page's text: the contents of its text blocks, tables included, in this order,
    with an empty line between.
    """
    place = 0
    for block in _in_page_order(texts, floats):
        if block.block_type != "text":
            yield block
            continue
        end = place + len(block.content)
        yield replace(block, char_start=place, char_end=end)
        place = end + len(_BETWEEN)


def _in_page_order(texts: Iterable[tuple[int, ReadBlock]], floats: Iterable[Float]) -> Iterator[ReadBlock]:
    pending = sorted(floats, key=lambda each: each[0])
    for first, block in texts:
        while pending and pending[0][0] < first:
            yield from pending.pop(0)[1]
        yield block
    for _, blocks in pending:
        yield from blocks


def without_running_lines(running_lines: set[int], figure: Figure) -> Figure:
    """The figure without running headers and footers that its region took in. `running_lines` are line indexes."""
    inside = tuple(index for index in figure.inside if index not in running_lines)
    title = tuple(index for index in figure.title if index not in running_lines)
    return replace(figure, inside=inside, title=title)


def line_of(figure: Figure) -> int:
    """Index of the line at which a figure stands: its caption, else its first line."""
    caption = figure.caption
    return caption.first if caption else min(figure.inside, default=0)


_PICTURE_BYTES = 200_000_000  # Bytes of all figures of a document; they are held in memory.
_LOOK = 0.9
"""Share of the work per page: reading it takes nine tenths of the time, making its blocks the rest."""


@dataclass(slots=True)
class Whole:
    """What all pages show together."""

    headings: Headings
    words: Words = field(default_factory=Words)
    running: RunningLines = field(default_factory=RunningLines)
    pages: list[Page] = field(default_factory=list)
    picture_bytes: int = 0
    left_out: int = 0

    def see(self, page: Page) -> None:
        """Take in the next page. Beyond _PICTURE_BYTES its figures are counted and dropped."""
        if self.picture_bytes > _PICTURE_BYTES:
            self.left_out += len(page.figures)
            page.figures = []
        self.picture_bytes += sum(len(figure.picture.data) for figure in page.figures)
        self.pages.append(page)
        self.running.see(page.number, page.lines, page.size)
        self.headings.see(page.lines)
        for line in page.lines:
            self.words.see(line.text)


def read_pdf(path: Path, recognition: Recognition | None = None) -> Iterator[Step]:
    """Read a PDF. Yields progress page by page, then the blocks, then the `ReadDocument`. Raises UnreadableDocument."""
    recognition = recognition or Recognition()
    figures = FigureWords(recognition)
    with open_pdf(path) as document:
        yield PageDone(0, (0, len(document)))
        outline = outline_of(document)
        whole = Whole(Headings(outline))
        for number in range(1, len(document) + 1):
            page = read_page(document, number)
            for _ in recognise(document, page, recognition):
                yield PageDone(number - 1)
            whole.see(page)
            yield PageDone(number, (int(number * _LOOK), len(document)))
        drop_repeated(whole.pages)
        labels = labels_of(document, len(document))
        if not any(_new(label, page) for page, label in enumerate(labels, 1)):
            labels = whole.running.labels() or labels
        title = title_of(document) or largest_text(whole.pages, whole.words)
        languages, blocks = Languages(), list[ReadBlock]()
        for step in _blocks(whole, labels, title):
            if isinstance(step, PageDone):
                yield step
                continue
            block = with_recognised_words(step, whole.pages)
            if wants_words(block, whole.pages):
                block = yield from figures.block(block, (block.page_number or 1) - 1)
            blocks.append(block)
            languages.see(block)
        warnings = warnings_for(whole.pages, whole.left_out, attachment_count(document), follows=recognition.follows)
        # The pages are no longer needed, and the caller keeps the blocks: do not hold a long document twice.
        whole.pages.clear()
        blocks.reverse()
        while blocks:
            yield languages.settled(blocks.pop())
        yield ReadDocument(
            title=title,
            author=author_of(document),
            document_date=date_of(document),
            page_count=len(document),
            language=languages.main,
            outline=tuple(outline),
            page_labels=tuple(labels) if any(_new(label, page) for page, label in enumerate(labels, 1)) else (),
            warnings=(*warnings, *figures.losses()),
            pending=tuple(recognition.pending),
        )


def _blocks(whole: Whole, labels: list[str], title: str | None) -> Iterator[ReadBlock | PageDone]:
    """Yield the blocks page by page, with signs of life."""
    sections = Sections(whole.running, whole.headings, whole.words, title)
    of_page = []
    for page in whole.pages:
        if page.figures:
            running_lines = whole.running.of(page.number, page.lines, page.size)
            page.figures = [without_running_lines(running_lines, figure) for figure in page.figures]
        of_page.append(sections.of(page))
        yield PageDone(page.number)
    mentions = _mentions(of_page)
    tables = Tables(whole.pages, whole.words, mentions)
    for page, its_sections in zip(whole.pages, of_page, strict=True):
        label = _new(labels[page.number - 1], page.number)
        pictures = picture_blocks(page, label, its_sections, whole.words, mentions)
        floats = [(line_of(figure), [block]) for figure, block in zip(page.figures, pictures, strict=True)]
        floats += [(table.line, table.blocks) for table in tables.of(page, label, its_sections)]
        texts = text_blocks(its_sections, page.number, label, [line for line, _ in floats])
        yield from order_blocks(texts, floats)
        count = len(whole.pages)
        yield PageDone(page.number, (round(count * _LOOK + page.number * (1 - _LOOK)), count))


def _mentions(of_page: list[list[Section]]) -> Mentions:
    mentions = Mentions()
    for sections in of_page:
        for section in sections:
            for paragraph in section.paragraphs:
                mentions.see(paragraph.text)
    return mentions


def _new(label: str, page_number: int) -> str | None:
    """The printed label if it differs from the page number."""
    return label if label and label != str(page_number) else None
