"""Text recognition within bounds: of pixels, of seconds an image, and of seconds a document.

Whoever reads an image goes through the steps of `lines`, each of which is a sign of life to pass on.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass, field

import numpy as np
from PIL import Image

from corpus.readers.ocr.arranging import arranged
from corpus.readers.ocr.promise import OcrEngine, Piece, Pixels
from corpus.readers.ocr.upright import Frame
from corpus.readers.pdf.hyphens import Words, joined
from corpus.readers.pdf.lines import Line
from corpus.readers.pdf.paragraphs import paragraph, paragraphs_of
from corpus.readers.steps import PageDone, Step

DPI = 200
MOST_PIXELS = 8_000_000
LONGEST_SIDE = 4000
_MOST_LINES = 1500


class GaveUp(Exception):
    """An image took longer than it may; what was recognised of it is not given, for it would pass for all."""


@dataclass(slots=True)
class Recognition:
    """Made for one document. Past `document_seconds` its other images are given up at once.

    `engine` is None where none is installed or none is wanted: every image is then given up. Seconds are those of work
    in this thread, which a busy machine makes no more of.
    """

    engine: OcrEngine | None
    image_seconds: float = 60.0
    document_seconds: float = 2_400.0
    spent: float = field(default=0.0, init=False)

    def lines(
        self, image: Image.Image, pixels_a_point: float = DPI / 72
    ) -> Generator[None, None, tuple[list[Line], Frame]]:
        """Its lines in reading order, with boxes in points of the upright image, and how that lies.

        Each step is a sign of life, seconds apart. Raises GaveUp.
        """
        start = time.thread_time()
        pieces: list[Piece] = []
        try:
            if self.engine is None:
                raise GaveUp("no text recognition is installed")
            small, scale = _within_bounds(image)
            for more in self.engine.pieces(_pixels(small)):
                pieces += more
                if time.thread_time() - start > min(self.image_seconds, self.document_seconds - self.spent):
                    raise GaveUp("took too long")
                yield
        finally:
            self.spent += time.thread_time() - start
        return arranged(pieces[:_MOST_LINES], small.size, pixels_a_point * scale)

    def text(self, image: Image.Image) -> Generator[None, None, str]:
        """Its words as paragraphs, a line each. As `lines`."""
        lines, _ = yield from self.lines(image)
        words = Words()
        for line in lines:
            words.see(line.text)
        return "\n".join(paragraph(group, words).text for group in paragraphs_of(lines))

    def words(self, image: Image.Image) -> Generator[None, None, str]:
        """Its lines as they stand, for the labels within a figure. As `lines`."""
        lines, _ = yield from self.lines(image)
        return "\n".join(joined([line.text], Words()) for line in lines)


def alive(reading: Generator[None, None, str], page: int) -> Generator[Step, None, str]:
    """What the reading comes to, each of its steps as a sign of life of that page. Raises what the reading does."""
    while True:
        try:
            next(reading)
        except StopIteration as end:
            return str(end.value)
        yield PageDone(page)


def _within_bounds(image: Image.Image) -> tuple[Image.Image, float]:
    """The image with no more pixels than allowed, and its scale."""
    most = min(1.0, (MOST_PIXELS / (image.width * image.height)) ** 0.5, LONGEST_SIDE / max(image.size))
    if most == 1.0:
        return image, 1.0
    size = (max(1, round(image.width * most)), max(1, round(image.height * most)))
    return image.convert("RGB").resize(size, Image.Resampling.BOX), most


def _pixels(image: Image.Image) -> Pixels:
    if image.mode in ("RGBA", "LA", "P", "PA"):
        layer = image.convert("RGBA")
        paper = Image.new("RGB", layer.size, "white")
        paper.paste(layer, mask=layer.getchannel("A"))
        image = paper
    return np.asarray(image.convert("RGB"))
