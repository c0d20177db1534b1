"""Pages of a PDF that are pictures, and figures whose words are in no text layer, read by text recognition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from PIL import Image

from corpus.readers.ocr.figure_words import MOST_WORDS, words_in
from corpus.readers.ocr.recognition import DPI, LONGEST_SIDE, MOST_PIXELS, GaveUp, Recognition
from corpus.readers.pdf.layout import contains
from corpus.readers.pdf.lines import HYPHEN, Line
from corpus.readers.pdf.pdfium import pdfium
from corpus.readers.promise import ReadBlock
from corpus.recognised import recognised_place, with_recognised

if TYPE_CHECKING:
    from corpus.readers.pdf.pages import Page

_FEW_LETTERS = 20


def recognise(document: pdfium.PdfDocument, page: Page, recognition: Recognition) -> Iterator[None]:
    """Gives the page the lines of its picture, or its figures their words. Each step is a sign of life."""
    if page.is_picture:
        yield from _page_read(document, page, recognition)
        return
    for number, figure in enumerate(page.figures):
        letters = sum(len(page.lines[index].text) for index in figure.inside)
        if recognition.engine and letters < _FEW_LETTERS:
            page.words[number] = yield from words_in(figure.picture, recognition)


def as_recognised(block: ReadBlock, pages: Sequence[Page]) -> ReadBlock:
    """The block of a page as it lies in the file, marked where its words were recognised: text by its place, a figure
    by a line above them. Blocks of other pages come back as they are."""
    if block.page_number is None:
        return block
    page = pages[block.page_number - 1]
    if block.block_type == "image":
        words = {f"p{page.number}-f{number + 1}": words for number, words in page.words.items()}.get(
            block.place
        )
        return replace(block, content=with_recognised(block.content, words)) if words else block
    if page.frame is None:
        return block
    bbox = page.frame.as_it_lies(block.bbox) if block.bbox else None
    lines = tuple(replace(line, box=page.frame.as_it_lies(line.box)) for line in block.lines)
    return replace(block, place=recognised_place(block.place), bbox=bbox, lines=lines)


def _page_read(document: pdfium.PdfDocument, page: Page, recognition: Recognition) -> Iterator[None]:
    if recognition.engine is None:
        return
    try:
        image, scale = _rendered(document, page.number)
        yield
        lines, frame = yield from recognition.lines(image, scale)
    except (GaveUp, pdfium.PdfiumError):
        page.is_given_up = True
        return
    page.frame = frame
    if (page.figures or page.tables) and frame.quarters == 0:
        _added(page, lines)
        return
    # What its text layer has, if anything, stands in the picture too.
    page.lines, page.figures, page.tables, page.size = lines, [], [], frame.size


def _added(page: Page, lines: list[Line]) -> None:
    """Beside a figure the page keeps its own lines in their places; what was recognised in the figure is its words."""
    for number, figure in enumerate(page.figures):
        inside = [line.text.replace(HYPHEN, "-") for line in lines if contains(figure.box, line.box)]
        page.words[number] = "\n".join(inside)[:MOST_WORDS]
    known = [figure.box for figure in page.figures] + [line.box for line in page.lines]
    page.lines += [line for line in lines if not any(contains(box, line.box) for box in known)]


def _rendered(document: pdfium.PdfDocument, number: int) -> tuple[Image.Image, float]:
    """The page at DPI or what its size allows, and its pixels a point."""
    page = document[number - 1]
    try:
        width, height = page.get_size()
        scale = min(DPI / 72, (MOST_PIXELS / (width * height)) ** 0.5, LONGEST_SIDE / max(width, height))
        return cast(Image.Image, page.render(scale=scale).to_pil().convert("RGB")), scale
    finally:
        page.close()
