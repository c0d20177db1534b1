"""A PDF read: first every page is looked at, then, knowing the whole, the blocks are made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from corpus.readers.heading_paths import HeadingPath
from corpus.readers.languages import language_of
from corpus.readers.pdf.blocks import Section, text_blocks
from corpus.readers.pdf.document import author_of, date_of, labels_of, opened, outline_of, title_of
from corpus.readers.pdf.headings import Headings
from corpus.readers.pdf.hyphens import Words, joined
from corpus.readers.pdf.lines import Line, PageText
from corpus.readers.pdf.paragraphs import paragraph, paragraphs_of
from corpus.readers.pdf.pdfium import pdfium
from corpus.readers.pdf.running import RunningLines
from corpus.readers.pdf.shown import shown
from corpus.readers.promise import ReadDocument
from corpus.readers.steps import PageDone, Step


@dataclass(slots=True)
class Page:
    """What was seen of a page: its lines, and its height as shown."""

    number: int
    lines: list[Line] = field(default_factory=list)
    height: float = 0.0


def read_pdf(path: Path) -> Iterator[Step]:
    """Page after page is reported while it is read; the blocks follow when the last page is known."""
    with opened(path) as document:
        yield PageDone(0)
        outline = outline_of(document)
        words, running = Words(), RunningLines()
        headings = Headings(outline, words)
        pages = []
        for number in range(1, len(document) + 1):
            page = _page(document, number)
            running.see(number, page.lines, page.height)
            headings.see(page.lines)
            for line in page.lines:
                words.see(line.text)
            pages.append(page)
            yield PageDone(number)
        title = title_of(document) or _largest(pages, words)
        labels = labels_of(document, len(pages))
        path_of_headings = HeadingPath()
        sample = ""
        for page in pages:
            label = labels[page.number - 1]
            sections = _sections(page, running, headings, words, title, path_of_headings)
            for block in text_blocks(
                sections, page.number, label if label and label != str(page.number) else None
            ):
                if len(sample) < 20000:
                    sample += block.content + "\n"
                yield block
        plain = all(not label or label == str(i) for i, label in enumerate(labels, 1))
        yield ReadDocument(
            title=title,
            author=author_of(document),
            document_date=date_of(document),
            page_count=len(pages),
            language=language_of(sample[-4000:]),
            outline=tuple(outline),
            page_labels=() if plain else tuple(labels),
        )


def _page(document: pdfium.PdfDocument, number: int) -> Page:
    try:
        page = document[number - 1]
    except pdfium.PdfiumError:
        return Page(number)
    try:
        place = shown(page)
        text = PageText(page, place)
        lines = list(text.lines())
        text.close()
        return Page(number, lines, place.size[1])
    except pdfium.PdfiumError:
        return Page(number)
    finally:
        page.close()


def _sections(
    page: Page, running: RunningLines, headings: Headings, words: Words, title: str | None, path: HeadingPath
) -> list[Section]:
    sections = [Section(path.text)]
    lines = [line for line in page.lines if not running.among(line, page.height)]
    for group in paragraphs_of(lines):
        heading = headings.of(group, page.number, title if page.number == 1 else None)
        if heading:
            path.enter(heading.level, heading.title)
            if len(sections[-1].paragraphs) > sections[-1].headings:
                sections.append(Section(path.text))
            sections[-1].heading = path.text
            sections[-1].headings += 1
        sections[-1].paragraphs.append(paragraph(group, words))
    return sections


def _largest(pages: list[Page], words: Words) -> str | None:
    lines = pages[0].lines if pages else []
    if not lines:
        return None
    size = max(line.size for line in lines)
    text = joined((line.text for line in lines if line.size >= size - 0.5), words)
    return text if 3 <= len(text) <= 200 else None
