"""Scans for tests: pictures of text, and OCR engines with predefined results."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TypeVar

import pypdfium2 as pdfium
import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from corpus.readers.ocr.engine import ENGINE, Piece, Pixels, is_installed
from corpus.readers.ocr.recognition import Recognition, RecognitionFailed
from corpus.readers.ocr.records import Records
from corpus.readers.protocol import ReadDocument
from corpus.readers.sandbox.pool import ReadingProcesses

needs_ocr = pytest.mark.skipif(not is_installed(), reason="text recognition has no wheels here")

DPI = 200
T = TypeVar("T")


def picture(path: Path, *texts: str, size: tuple[float, float] = (480, 90), font: float = 12) -> Image.Image:
    """Draw the texts one below the other as an image of DPI; `size` is in points."""
    canvas = Canvas(str(path), pagesize=size)
    canvas.setFont("Helvetica", font)
    for number, text in enumerate(texts):
        canvas.drawString(30, size[1] - 40 - number * 1.3 * font, text)
    canvas.save()
    with pdfium.PdfDocument(path) as document:
        image: Image.Image = document[0].render(scale=DPI / 72).to_pil().convert("RGB")
    return image


def scan(path: Path, *pages: Image.Image) -> Path:
    """Write a PDF whose pages are only these pictures."""
    canvas = Canvas(str(path))
    for image in pages:
        size = (image.width * 72 / DPI, image.height * 72 / DPI)
        canvas.setPageSize(size)
        canvas.drawImage(ImageReader(image), 0, 0, *size)
        canvas.showPage()
    canvas.save()
    return path


def piece(text: str, left: float, top: float, right: float, bottom: float) -> Piece:
    """Return a horizontal text piece, with its box in pixels."""
    return Piece(text, ((left, top), (right, top), (right, bottom), (left, bottom)))


def ended(steps: Generator[None, None, T]) -> T:
    """Run the steps, and return their result."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result


def recognized_text(image: Image.Image, recognition: Recognition) -> str:
    """Return the text of a picture as paragraphs, one line each; empty if no text is found or OCR gives up."""
    try:
        return ended(recognition.text("p1", lambda: (image, DPI / 72)))
    except RecognitionFailed:
        return ""


async def read_with_pictures(file: Path, path: Path) -> ReadDocument:
    """Read a document in two stages like the processes do: `file` stores the OCR results in between."""
    records = Records(file, ENGINE)
    async with ReadingProcesses(records=file) as reading:
        first = await reading.read(path)
        content_hash = first.content_hash or ""
        pictures = {block.place: block.picture for block in first.blocks}
        for place in first.pending:
            picture = pictures.get(place)
            found = (
                await reading.recognise_picture(picture)
                if picture
                else await reading.recognise(path, place, content_hash=content_hash)
            )
            assert found
            records.put(content_hash, place, found)
        return await reading.read(path)


class ToldEngine:
    """An engine that finds the same pieces in every image, one per step, and then does nothing for `idle` steps."""

    name = "told"

    def __init__(self, *pieces: Piece, idle: int = 0) -> None:
        self._pieces, self._idle = pieces, idle
        self.images = 0

    def pieces(self, image: Pixels) -> Iterator[list[Piece]]:
        self.images += 1
        for each in self._pieces:
            yield [each]
        for _ in range(self._idle):
            yield []
