"""OCR of PDF pages that are pictures, and of figures that no text layer covers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

from PIL import Image

from corpus.documents.block import Box
from corpus.documents.machine_text import ocr_place, with_ocr_text
from corpus.errors import UnreadableDocument
from corpus.readers.ocr.recognition import (
    DPI,
    MAX_PIXELS,
    MAX_SIDE,
    MAX_WORDS,
    Recognition,
    RecognitionFailed,
    RecognitionPending,
    Scaled,
)
from corpus.readers.pdf.page_geometry import contains, pdfium
from corpus.readers.pdf.text.font_encoding import GAP
from corpus.readers.pdf.text.lines import HYPHEN, Line
from corpus.readers.pdf.text.reading_order import in_reading_order
from corpus.readers.protocol import ReadBlock

if TYPE_CHECKING:
    from corpus.readers.pdf.pages import Page

_MIN_CHARS = 20  # Minimum length of a text layer in characters; a shorter one is only a page number.
_WORD = re.compile(r"[^\W\d_]+")
_WORD_WITH_GAPS = re.compile(rf"(?<![^\W\d_])(?<!{GAP})(?:[^\W\d_]*+{GAP})++[^\W\d_]*+")
_GAPS = re.compile(rf"{GAP}+")
MAX_PAGE_SIDE = 1_000_000  # Maximum page side in points (350 m). The parent process rejects line boxes beyond it.


def recognise(document: pdfium.PdfDocument, page: Page, recognition: Recognition) -> Iterator[None]:
    """Add the lines that OCR finds to a page that lacks text. Yields progress steps."""
    if not page.lacks_text:
        return
    try:
        lines, frame = yield from recognition.lines(f"p{page.number}", lambda: render_scan(document, page.number))
    except RecognitionPending:
        return
    except (RecognitionFailed, pdfium.PdfiumError) as reason:
        page.given_up = str(reason) if isinstance(reason, RecognitionFailed) else "failed"
        return
    is_level = frame.quarters == 0
    if not (page.is_picture or page.nonsense):
        page.gaps = fill_gaps(page, lines) if is_level else page.gaps
        page.is_filled = True
        return
    page.frame = frame
    characters = sum(len(line.text) for line in page.lines)
    if is_level and (page.figures or page.tables or characters >= _MIN_CHARS):
        _add_recognised(page, lines)
        return
    # OCR has also read the text of the text layer, so it is replaced.
    comments = [line for line in page.lines if line.is_comment]
    page.lines, page.figures, page.tables, page.size = [*lines, *comments], [], [], frame.size


def with_recognised_words(block: ReadBlock, pages: Sequence[Page]) -> ReadBlock:
    """Return the block in the file's coordinates. If OCR read its words, say so: in `place` for a text block, in a line
    above the words for a figure. Other blocks are returned unchanged."""
    if block.page_number is None:
        return block
    page = pages[block.page_number - 1]
    if block.block_type == "image":
        words = page.words.get(block.bbox) if block.bbox else None
        return replace(block, content=with_ocr_text(block.content, words)) if words else block
    if page.frame is None:
        return block
    bbox = page.frame.as_it_lies(block.bbox) if block.bbox else None
    lines = tuple(replace(line, box=page.frame.as_it_lies(line.box)) for line in block.lines)
    return replace(block, place=ocr_place(block.place), bbox=bbox, lines=lines)


def wants_words(block: ReadBlock, pages: Sequence[Page]) -> bool:
    """Return whether the block is a figure without a text layer, on a page that OCR does not read as a whole."""
    if block.block_type != "image" or block.page_number is None:
        return False
    page = pages[block.page_number - 1]
    figure = next((figure for figure in page.figures if figure.box == block.bbox), None)
    if figure is None or page.is_picture:
        return False
    return sum(len(page.lines[index].text) for index in figure.inside) < _MIN_CHARS


def render_scan(document: pdfium.PdfDocument, number: int) -> Scaled:
    """Render the page at DPI, or as large as the limits allow. Return it with its pixels per point. Raises
    UnreadableDocument if a side exceeds MAX_PAGE_SIDE."""
    page = document[number - 1]
    try:
        width, height = page.get_size()
        if max(width, height) >= MAX_PAGE_SIDE:
            raise UnreadableDocument("the page is too large to be rendered")
        scale = min(DPI / 72, (MAX_PIXELS / (width * height)) ** 0.5, MAX_SIDE / max(width, height))
        return cast(Image.Image, page.render(scale=scale).to_pil().convert("RGB")), scale
    finally:
        page.close()


def _add_recognised(page: Page, lines: list[Line]) -> None:
    """Add OCR text to a page that has its own lines. Text inside a figure becomes the figure's words. Other text is
    added to the lines unless a line already covers it."""
    for figure in page.figures:
        inside = [line.text.replace(HYPHEN, "-") for line in lines if contains(figure.box, line.box)]
        page.words[figure.box] = "\n".join(inside)[:MAX_WORDS]
    boxes = [figure.box for figure in page.figures] + [line.box for line in page.lines]
    more = [line for line in lines if not any(_overlap(box, line.box) for box in boxes)]
    figures, tables = page.figures, page.tables
    if not figures and not tables:
        page.lines = in_reading_order([*page.lines, *more], page.size)
    else:
        page.lines += more  # append, because figures and tables refer to lines by index


def _overlap(box: Box, second: Box) -> bool:
    """Return whether the middle of either box is in the other."""
    return contains(box, second) or contains(second, box)


def fill_gaps(page: Page, lines: Sequence[Line]) -> int:
    """Fill in characters that no font identifies, from the lines that OCR found. Return how many are still
    unidentified."""
    words = {word for line in lines for word in _WORD.findall(line.text.replace(HYPHEN, ""))}
    left = 0
    for number, line in enumerate(page.lines):
        if GAP not in line.text:
            continue
        text = _fill_line(line.text, line.box, lines, words)
        page.lines[number] = replace(line, text=text, pieces=())
        left += text.count(GAP)
    for number, table in enumerate(page.tables):
        if table.grid and any(GAP in text for cell in table.grid.cells for text in cell.lines):
            cells = tuple(
                replace(cell, lines=tuple(_fill_line(text, table.box, lines, words) for text in cell.lines))
                for cell in table.grid.cells
            )
            page.tables[number] = replace(table, grid=replace(table.grid, cells=cells))
    return left


def _fill_line(text: str, box: Box, lines: Sequence[Line], words: Iterable[str]) -> str:
    if GAP not in text:
        return text
    beside = [line.text.replace(HYPHEN, "-") for line in lines if _overlap(box, line.box)]
    near = [word for line in beside for word in _WORD.findall(line)]
    return _fill_numbers(_WORD_WITH_GAPS.sub(partial(_fill_word, near=near, words=words), text), beside)


def _fill_numbers(text: str, beside: Sequence[str]) -> str:
    """Fill in the unidentified digits of a line, if exactly one reading of the OCR lines at that position fits."""
    parts = _GAPS.split(text)
    if len(parts) == 1:
        return text
    lengths = [len(match[0]) for match in _GAPS.finditer(text)]
    pattern = r"(?<!\S)" + "".join(
        r"\s*".join(map(re.escape, part.split(" "))) + (rf"([\d.,]{{{length}}})" if length else "")
        for part, length in zip(parts, [*lengths, 0], strict=True)
    )
    readings = {match.groups() for line in beside for match in re.finditer(pattern + r"(?!\S)", line)}
    if len(readings) != 1:
        return text
    numbers = iter(readings.pop())
    return _GAPS.sub(lambda _: next(numbers), text)


def _fill_word(word: re.Match[str], near: Sequence[str], words: Iterable[str]) -> str:
    """Return the OCR word that fits this word's known characters: the only one at its position, otherwise the only one
    on the page. If there is none, return the word unchanged."""
    pattern = re.compile(r"[^\W\d_]{1,3}".join(map(re.escape, word[0].split(GAP))), re.IGNORECASE)
    for candidates in (near, words):
        matches = {match[0] for each in candidates if (match := pattern.fullmatch(each))}
        if len(matches) == 1:
            return matches.pop()
    return word[0]
