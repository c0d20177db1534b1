"""Pages of a PDF that are pictures, and figures whose words are in no text layer, read by text recognition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from PIL import Image

from corpus.errors import UnreadableDocument
from corpus.readers.ocr.figure_words import MAX_WORDS
from corpus.readers.ocr.recognition import (
    DPI,
    MAX_PIXELS,
    MAX_SIDE,
    GaveUp,
    NotYet,
    Recognition,
    Scaled,
)
from corpus.readers.pdf.layout import contains
from corpus.readers.pdf.lines import HYPHEN, Line
from corpus.readers.pdf.pdfium import pdfium
from corpus.readers.protocol import ReadBlock
from corpus.recognised import recognised_place, with_recognised

if TYPE_CHECKING:
    from corpus.readers.pdf.pages import Page

_FEW_LETTERS = 20
MAX_PAGE_SIDE = 1_000_000
"""Points, or 350 m: boxes of lines beyond are refused where a reading process hands them over."""


def recognise(document: pdfium.PdfDocument, page: Page, recognition: Recognition) -> Iterator[None]:
    """Gives a page that is a picture the lines of its picture. Each step is a sign of life."""
    if not page.is_picture:
        return
    try:
        lines, page.frame = yield from recognition.lines(
            f"p{page.number}", lambda: rendered(document, page.number)
        )
    except NotYet:
        return
    except (GaveUp, pdfium.PdfiumError) as reason:
        page.given_up = str(reason) if isinstance(reason, GaveUp) else "failed"
        return
    if (page.figures or page.tables) and page.frame.quarters == 0:
        _added(page, lines)
        return
    # What its text layer has, if anything, stands in the picture too.
    page.lines, page.figures, page.tables, page.size = lines, [], [], page.frame.size


def as_recognised(block: ReadBlock, pages: Sequence[Page]) -> ReadBlock:
    """The block of a page as it lies in the file, marked where its words were recognised: text by its place, a figure
    by a line above them. Blocks of other pages come back as they are."""
    if block.page_number is None:
        return block
    page = pages[block.page_number - 1]
    if block.block_type == "image":
        words = page.words.get(block.bbox) if block.bbox else None
        return replace(block, content=with_recognised(block.content, words)) if words else block
    if page.frame is None:
        return block
    bbox = page.frame.as_it_lies(block.bbox) if block.bbox else None
    lines = tuple(replace(line, box=page.frame.as_it_lies(line.box)) for line in block.lines)
    return replace(block, place=recognised_place(block.place), bbox=bbox, lines=lines)


def wants_words(block: ReadBlock, pages: Sequence[Page]) -> bool:
    """Whether it is a figure whose words are in no text layer, on a page that is not recognised as a whole."""
    if block.block_type != "image" or block.page_number is None:
        return False
    page = pages[block.page_number - 1]
    figure = next((figure for figure in page.figures if figure.box == block.bbox), None)
    if figure is None or page.is_picture:
        return False
    return sum(len(page.lines[index].text) for index in figure.inside) < _FEW_LETTERS


def rendered(document: pdfium.PdfDocument, number: int) -> Scaled:
    """The page at DPI or what its size allows, and its pixels a point. Raises UnreadableDocument for one of a size that
    no page has."""
    page = document[number - 1]
    try:
        width, height = page.get_size()
        if max(width, height) >= MAX_PAGE_SIDE:
            raise UnreadableDocument("the page is larger than any page can be")
        scale = min(DPI / 72, (MAX_PIXELS / (width * height)) ** 0.5, MAX_SIDE / max(width, height))
        return cast(Image.Image, page.render(scale=scale).to_pil().convert("RGB")), scale
    finally:
        page.close()


def _added(page: Page, lines: list[Line]) -> None:
    """Beside a figure the page keeps its own lines in their places; what was recognised in the figure is its words."""
    for figure in page.figures:
        inside = [line.text.replace(HYPHEN, "-") for line in lines if contains(figure.box, line.box)]
        page.words[figure.box] = "\n".join(inside)[:MAX_WORDS]
    known = [figure.box for figure in page.figures] + [line.box for line in page.lines]
    page.lines += [line for line in lines if not any(contains(box, line.box) for box in known)]
