"""Text recognition as the readers see it: the lines of a picture, recognised before or now, or still to come.

Whoever reads an image goes through the steps of `lines`, each of which is a sign of life to pass on.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
from PIL import Image

from corpus.readers.ocr.arranging import arranged
from corpus.readers.ocr.pieces import Piece, Recognised
from corpus.readers.ocr.protocol import OcrEngine, Pixels
from corpus.readers.ocr.upright import Frame
from corpus.readers.pdf.hyphens import Words, joined
from corpus.readers.pdf.lines import Line
from corpus.readers.pdf.paragraphs import paragraph, paragraphs_of
from corpus.readers.steps import PageDone, Step

T = TypeVar("T")

DPI = 200
MAX_PIXELS = 8_000_000
MAX_SIDE = 4000
IMAGE_SECONDS = 60.0
"""Of work on one image: ten times what a dense page takes on a slow core."""
_MAX_PIECES = 1500

Scaled = tuple[Image.Image, float]
"""An image, and how many of its pixels are a point."""

TOOK_TOO_LONG = "took too long"


def is_slow(reason: str) -> bool:
    """Whether that is why an image was given up."""
    return reason.startswith("took ")


class GaveUp(Exception):
    """Nothing is given of an image whose recognition took too long or failed: a part of it would pass for all."""


class NotYet(Exception):
    """Nothing has looked at the image yet; its place is among the pending ones."""


def _no_records(place: str) -> Recognised | None:
    return None


@dataclass(slots=True)
class Recognition:
    """Made for one document. What `records` has of a place is taken, else `engine` recognises it at once; without an
    engine the place is `pending`, which `follows` by itself where text recognition is on and installed."""

    engine: OcrEngine | None = None
    records: Callable[[str], Recognised | None] = _no_records
    follows: bool = False
    image_seconds: float = IMAGE_SECONDS
    pending: list[str] = field(default_factory=list, init=False)

    def lines(
        self, place: str, look: Callable[[], Scaled], data: bytes = b""
    ) -> Generator[None, None, tuple[list[Line], Frame]]:
        """The lines of the image at a place in reading order, with boxes in points of the upright image, and how that
        lies. `look` gives the image where it is needed, `data` are the bytes of one that is no page of the file.

        Each step is a sign of life, seconds apart. Raises GaveUp and NotYet.
        """
        digest = hashlib.sha256(data).hexdigest() if data else ""
        result = self.records(place)
        # A page may show another picture under the same number than before, for what lies beside it changes.
        if result is None or result.picture != digest:
            if self.engine is None:
                self.pending.append(place)
                raise NotYet
            result = yield from recognised(look, self.engine, self.image_seconds)
        if result.failure:
            raise GaveUp(result.failure)
        return arranged(result.pieces, result.size, result.pixels_a_point)

    def text(self, place: str, look: Callable[[], Scaled]) -> Generator[None, None, str]:
        """Its words as paragraphs, a line each. As `lines`."""
        lines, _ = yield from self.lines(place, look)
        words = Words()
        for line in lines:
            words.see(line.text)
        return "\n".join(paragraph(group, words).text for group in paragraphs_of(lines))

    def words(self, place: str, look: Callable[[], Scaled], data: bytes) -> Generator[None, None, str]:
        """Its lines as they stand, for the labels within a figure. As `lines`."""
        lines, _ = yield from self.lines(place, look, data)
        return "\n".join(joined([line.text], Words()) for line in lines)


def recognised(
    look: Callable[[], Scaled], engine: OcrEngine, seconds: float = IMAGE_SECONDS
) -> Generator[None, None, Recognised]:
    """What the engine finds in an image, or that it was given up after so many seconds of work in this thread, which a
    busy machine makes no more of."""
    start = time.thread_time()
    image, pixels_a_point = look()
    small, scale = _scale_down(image)
    pieces: list[Piece] = []
    for more in engine.pieces(_pixels(small)):
        pieces += more
        if time.thread_time() - start > seconds:
            return Recognised(failure=TOOK_TOO_LONG)
        yield
    return Recognised(
        pieces=tuple(pieces[:_MAX_PIECES]), size=small.size, pixels_a_point=pixels_a_point * scale
    )


def recognised_picture(
    look: Callable[[], Scaled], data: bytes, engine: OcrEngine
) -> Generator[None, None, Recognised]:
    """The same of a picture with these bytes, as its record says."""
    result = yield from recognised(look, engine)
    return replace(result, picture=hashlib.sha256(data).hexdigest())


def alive(reading: Generator[None, None, T], page: int) -> Generator[Step, None, T]:
    """What the reading comes to, each of its steps as a sign of life of that page. Raises what the reading does."""
    while True:
        try:
            next(reading)
        except StopIteration as end:
            result: T = end.value
            return result
        yield PageDone(page)


def _scale_down(image: Image.Image) -> tuple[Image.Image, float]:
    """The image with no more pixels than allowed, and its scale."""
    scale = min(1.0, (MAX_PIXELS / (image.width * image.height)) ** 0.5, MAX_SIDE / max(image.size))
    if scale == 1.0:
        return image, 1.0
    size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    return image.convert("RGB").resize(size, Image.Resampling.BOX), scale


def _pixels(image: Image.Image) -> Pixels:
    if image.mode in ("RGBA", "LA", "P", "PA"):
        layer = image.convert("RGBA")
        paper = Image.new("RGB", layer.size, "white")
        paper.paste(layer, mask=layer.getchannel("A"))
        image = paper
    return np.asarray(image.convert("RGB"))
