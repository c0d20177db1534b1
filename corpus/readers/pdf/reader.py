"""Reader for PDF files. It first reads all pages, then builds the blocks, which depend on data from the entire
document."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from corpus.readers.elements.captions import Mentions
from corpus.readers.elements.element import left_out_warnings
from corpus.readers.languages import Languages
from corpus.readers.ocr.engine import reading_follows, unread_warning
from corpus.readers.ocr.recognition import TOOK_TOO_LONG, FigureWords, Recognition, is_slow
from corpus.readers.ocr.scans import recognise, wants_words, with_recognised_words
from corpus.readers.pdf.float_blocks import Tables, picture_blocks
from corpus.readers.pdf.page_figures import Figure
from corpus.readers.pdf.pages import Page, read_page
from corpus.readers.pdf.pdf_file import (
    attachment_count,
    author_of,
    date_of,
    labels_of,
    open_pdf,
    outline_of,
    title_of,
)
from corpus.readers.pdf.sections import Section, Sections, text_blocks
from corpus.readers.pdf.text.font_encoding import GAP
from corpus.readers.pdf.text.headers_footers import RunningLines
from corpus.readers.pdf.text.lines import Words
from corpus.readers.pdf.text.pdf_headings import Headings, largest_text
from corpus.readers.protocol import PageDone, ReadBlock, ReadDocument, Step

_MAX_NAMED_PAGES = 10  # Maximum number of pages listed in a warning; further pages are only counted.


def warnings_for(
    pages: list[Page], figures_left_out: int = 0, attached: int = 0, *, follows: bool = False
) -> tuple[str, ...]:
    """Return one sentence for each kind of omission, with its pages. `follows` is true if OCR will read the pictures
    later."""
    warnings = list(_picture_warnings(pages, follows=follows))
    if any(page.figures for page in pages) and not any(page.lines or page.lacks_text for page in pages):
        warnings.append("No page has any text.")
    if hidden_pages := [page.number for page in pages if page.hidden]:
        count = sum(page.hidden for page in pages)
        warnings.append(
            f"{count} characters that no reader would see (invisible, covered, tiny, in the colour of their "
            f"background, or different from the drawn ones) were left out, on {page_list(hidden_pages).lower()}."
        )
    warnings += left_out_warnings(sum((page.left_out for page in pages), Counter()))
    if damaged_pages := [page.number for page in pages if page.is_damaged]:
        warnings.append(f"{page_list(damaged_pages)} could not be read, because the file is damaged.")
    if figures_left_out:
        warnings.append(f"{figures_left_out} figures were left out, because there are too many large ones.")
    if attached:
        files, they = ("1 file", "it") if attached == 1 else (f"{attached} files", "them")
        warnings.append(f"{files} attached to the document cannot be found. Save {they} separately and ingest {they}.")
    return tuple(warnings)


def _picture_warnings(pages: list[Page], *, follows: bool) -> Iterator[str]:
    pictures = [page for page in pages if page.lacks_text]
    if unread_pages := [page.number for page in pictures if page.is_picture and page.is_unread]:
        is_single = len(unread_pages) == 1
        subject = f"{page_list(unread_pages)} {'is a picture' if is_single else 'are pictures'}"
        yield unread_warning(subject, single=is_single, follows=follows)
    yield from _font_warnings([page for page in pictures if not page.is_picture], follows=follows)
    if read_pages := [page.number for page in pictures if page.frame and page.lines]:
        was = "was" if len(read_pages) == 1 else "were"
        yield (
            f"{page_list(read_pages)} {was} read by text recognition (OCR); single characters and numbers may be wrong."
        )
    if empty := [page.number for page in pictures if page.frame and not page.lines]:
        yield f"{page_list(empty)}: a picture in which text recognition (OCR) found no text."
    for slow, what in ((True, TOOK_TOO_LONG), (False, "failed")):
        failed_pages = [page.number for page in pictures if page.given_up and is_slow(page.given_up) == slow]
        if failed_pages:
            yield f"{page_list(failed_pages)}: a picture whose text recognition (OCR) {what} and was given up."


def _font_warnings(pages: list[Page], *, follows: bool) -> Iterator[str]:
    """Yield warnings about pages whose fonts do not identify their characters."""
    nonsense = [page.number for page in pages if page.nonsense and page.frame is None]
    if nonsense:
        yield (
            f"The text of {page_list(nonsense).lower()} makes no sense: "
            f"its fonts map it to other characters. The text was left out. {reading_follows(follows=follows)}"
        )
    gaps = [page for page in pages if page.gaps and not page.nonsense]
    for is_filled, outcome in (
        (False, f". {reading_follows(follows=follows)}"),
        (True, ", and text recognition (OCR) could not read them."),
    ):
        if numbers := [page.number for page in gaps if page.is_filled == is_filled]:
            where = f"words of {page_list(numbers).lower()} (shown as {GAP})"
            yield f"Characters are missing in {where}: a font does not identify them{outcome}"


def page_list(numbers: Iterable[int]) -> str:
    """Return "Page 3", "Pages 3 and 7", or "Pages 1, 2, 3 and 17 more". Raises IndexError if `numbers` is empty."""
    texts = [str(number) for number in numbers]
    if len(texts) > _MAX_NAMED_PAGES:
        texts = [*texts[:_MAX_NAMED_PAGES], f"{len(texts) - _MAX_NAMED_PAGES} more"]
    first_pages = ", ".join(texts[:-1])
    return f"Pages {first_pages} and {texts[-1]}" if first_pages else f"Page {texts[0]}"


_MIN_PAGES = 3  # Minimum number of pages with the same picture; two such pages may show a comparison.
_STEP = 4.0  # Maximum distance in points between positions that count as equal; programs shift a logo by less.


def drop_repeated(pages: Sequence[Page]) -> None:
    """Remove uncaptioned figures that at least three pages show at the same position."""
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
"""The index of the line at which a figure or table is inserted, and its blocks."""


def order_blocks(texts: Iterable[tuple[int, ReadBlock]], floats: Iterable[Float]) -> Iterator[ReadBlock]:
    """Yield the text blocks with offsets, and with the floats inserted at their lines.

    Offsets count characters of the page's text: the contents of its text blocks (tables included) in this order,
    separated by empty lines.
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
    """Return the figure without running headers and footers that its region includes. `running_lines` are line
    indexes."""
    inside = tuple(index for index in figure.inside if index not in running_lines)
    title = tuple(index for index in figure.title if index not in running_lines)
    return replace(figure, inside=inside, title=title)


def line_of(figure: Figure) -> int:
    """Return the index of the line at which a figure is inserted: the first line of its caption, otherwise of its own
    text."""
    caption = figure.caption
    return caption.first if caption else min(figure.inside, default=0)


_PICTURE_BYTES = 200_000_000  # Maximum total bytes of a document's figures, which are all kept in memory.
_LOOK = 0.9
"""Fraction of the progress assigned to reading the pages, which takes nine tenths of the time. Building the blocks
takes the rest."""


@dataclass(slots=True)
class Whole:
    """Data from all pages of a document."""

    headings: Headings
    words: Words = field(default_factory=Words)
    running: RunningLines = field(default_factory=RunningLines)
    pages: list[Page] = field(default_factory=list)
    picture_bytes: int = 0
    left_out: int = 0

    def see(self, page: Page) -> None:
        """Add the next page. If the earlier figures exceed _PICTURE_BYTES, count and drop the figures of this page."""
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
    """Read a PDF. Yields progress steps, then the blocks, then the `ReadDocument`. Raises UnreadableDocument."""
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
        # Release the pages, which are no longer needed. The caller stores the blocks, and a long document must not be
        # in memory twice.
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
    """Yield the blocks page by page, and progress steps between them."""
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
    """Return the printed label if it differs from the page number."""
    return label if label and label != str(page_number) else None
