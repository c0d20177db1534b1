"""OCR for the readers. The lines of a picture come from a record or from the engine, or they are still pending.

Readers iterate over `lines`; each step is a progress step that they pass on.
"""

from __future__ import annotations

import hashlib
import io
import os
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import BinaryIO, TypeVar

import numpy as np
from PIL import Image

from corpus.documents.block import Picture
from corpus.documents.machine_text import with_ocr_text
from corpus.errors import UnreadableDocument
from corpus.processes.child import Head
from corpus.readers.formats import PDF
from corpus.readers.ocr.engine import PICTURE_FILE, OcrEngine, Piece, Pixels, RecognitionResult, engine
from corpus.readers.ocr.line_assembly import Frame, arrange
from corpus.readers.pdf.text.lines import Line, Words, join_lines
from corpus.readers.pdf.text.paragraphs import paragraph, paragraphs_of
from corpus.readers.pinned_file import FileState, check_file, digest_of, file_state, pin_file
from corpus.readers.protocol import PageDone, ReadBlock, ReadDocument, Step
from corpus.readers.sandbox.step_codec import encode_recognised, encode_step

T = TypeVar("T")

DPI = 200  # Resolution for OCR, in dpi. A 10-point line is 38 pixels high at 200 dpi; the model scales it to 48.
MAX_PIXELS = 8_000_000  # Maximum number of pixels in an image: nearly an A4 page at 300 dpi. OCR time grows with it.
MAX_SIDE = 4000
"""Maximum length in pixels of the longer side. A long strip has fewer pixels than MAX_PIXELS, but the memory that OCR
needs grows with the longer side."""

IMAGE_SECONDS = 60.0  # Maximum CPU seconds per image: ten times what a dense page takes on a slow core.
_MAX_PIECES = 1500  # Maximum number of pieces in an image; a newspaper page has about 1,000 lines.

Scaled = tuple[Image.Image, float]  # An image, and its number of pixels per point.
TOOK_TOO_LONG = "took too long"


def is_slow(reason: str) -> bool:
    """Return whether OCR gave up because it took too long."""
    return reason.startswith("took ")


class RecognitionFailed(Exception):
    """Error for OCR that took too long or failed. Partial text is not returned, because it would be mistaken for the
    complete text."""


class RecognitionPending(Exception):
    """Error for an image on which OCR has not run yet; its place has been added to `Recognition.pending`."""


def _no_records(place: str) -> RecognitionResult | None:
    return None


@dataclass(slots=True)
class Recognition:
    """OCR for one document. If `records` contains the result for an image, it is used; otherwise `engine` reads the
    image immediately. Without an engine, the image's place is added to `pending`. `follows` is true if a later stage
    will read it."""

    engine: OcrEngine | None = None
    records: Callable[[str], RecognitionResult | None] = _no_records
    follows: bool = False
    image_seconds: float = IMAGE_SECONDS
    pending: list[str] = field(default_factory=list, init=False)

    def lines(
        self, place: str, look: Callable[[], Scaled], data: bytes = b""
    ) -> Generator[None, None, tuple[list[Line], Frame]]:
        """Return the lines of the image at `place` in reading order, with boxes in points on the upright image, and the
        image's frame. `look` renders the image on demand; `data` contains the bytes of a picture that is not a page of
        the file.

        Each iteration takes a few seconds and reports progress. Raises RecognitionFailed and RecognitionPending.
        """
        digest = hashlib.sha256(data).hexdigest() if data else ""
        result = self.records(place)
        # The picture at this place may have changed since it was recorded.
        if result is None or result.picture != digest:
            if self.engine is None:
                self.pending.append(place)
                raise RecognitionPending
            result = yield from recognise_image(look, self.engine, self.image_seconds)
        if result.failure:
            raise RecognitionFailed(result.failure)
        return arrange(result.pieces, result.size, result.pixels_a_point)

    def text(self, place: str, look: Callable[[], Scaled]) -> Generator[None, None, str]:
        """Return the words as paragraphs, one paragraph per line. Raises the errors of `lines`."""
        lines, _ = yield from self.lines(place, look)
        words = Words()
        for line in lines:
            words.see(line.text)
        return "\n".join(paragraph(group, words).text for group in paragraphs_of(lines))

    def words(self, place: str, look: Callable[[], Scaled], data: bytes) -> Generator[None, None, str]:
        """Return the words line by line, as for labels in a figure. Raises the errors of `lines`."""
        lines, _ = yield from self.lines(place, look, data)
        return "\n".join(join_lines([line.text], Words()) for line in lines)


def recognise_image(
    look: Callable[[], Scaled], engine: OcrEngine, seconds: float = IMAGE_SECONDS
) -> Generator[None, None, RecognitionResult]:
    """Run OCR on an image. Give up after this thread has used `seconds` of CPU time, a limit that does not depend on
    the machine's load."""
    start = time.thread_time()
    image, pixels_a_point = look()
    small, scale = _scale_down(image)
    pieces: list[Piece] = []
    for more in engine.pieces(_pixels(small)):
        pieces += more
        if time.thread_time() - start > seconds:
            return RecognitionResult(failure=TOOK_TOO_LONG)
        yield
    return RecognitionResult(pieces=tuple(pieces[:_MAX_PIECES]), size=small.size, pixels_a_point=pixels_a_point * scale)


def recognise_picture(
    look: Callable[[], Scaled], data: bytes, engine: OcrEngine
) -> Generator[None, None, RecognitionResult]:
    """Run OCR on an image, and add the digest of the picture's bytes to the result."""
    result = yield from recognise_image(look, engine)
    return replace(result, picture=hashlib.sha256(data).hexdigest())


def with_signs_of_life(reading: Generator[None, None, T], page: int) -> Generator[Step, None, T]:
    """Run `reading`, and yield a progress step for page `page` at each of its steps. Return its result; raise its
    errors."""
    while True:
        try:
            next(reading)
        except StopIteration as end:
            result: T = end.value
            return result
        yield PageDone(page)


def _scale_down(image: Image.Image) -> tuple[Image.Image, float]:
    """Return the image scaled to fit MAX_PIXELS and MAX_SIDE, and the scale."""
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


MAX_WORDS = 1000  # Maximum number of characters of OCR text per figure; more would outweigh its caption.
_MIN_SIDE = 100  # Minimum side in pixels of a picture that is read; smaller ones are icons.


@dataclass(slots=True)
class FigureWords:
    """OCR of the figures of one document. `read` counts figures with words, `given_up` counts failures, and `pending`
    counts figures that OCR has not reached."""

    recognition: Recognition
    read: int = field(default=0, init=False)
    given_up: int = field(default=0, init=False)
    pending: int = field(default=0, init=False)

    def block(self, block: ReadBlock, page: int) -> Generator[Step, None, ReadBlock]:
        """Return a figure's block, adding the words that OCR finds in its picture. Yields progress steps."""
        picture = block.picture
        if picture and _is_large_enough(picture):
            look = lambda: scaled_picture(picture)  # noqa: E731
            try:
                words = yield from with_signs_of_life(self.recognition.words(block.place, look, picture.data), page)
            except RecognitionPending:
                words = ""
                self.pending += 1
            except RecognitionFailed:
                words = ""
                self.given_up += 1
            if words:
                self.read += 1
                block = replace(block, content=with_ocr_text(block.content, words[:MAX_WORDS]))
        return block

    def warnings(self) -> Iterator[str]:
        """Yield sentences about the figures that were read and those that were not."""
        if self.read:
            yield (
                f"The words in {_pictures(self.read)} were read by text recognition (OCR); single characters and "
                "numbers may be wrong."
            )
        yield from self.losses()

    def losses(self) -> Iterator[str]:
        """Yield sentences about the figures that were not read."""
        if self.pending and self.recognition.follows:
            yield (
                f"The words in {_pictures(self.pending)} are not read yet by text recognition (OCR), which "
                "runs after all texts are read."
            )
        if self.given_up:
            yield (
                f"The words in {_pictures(self.given_up)} are not read: text recognition (OCR) failed and was given up."
            )


def scaled_picture(picture: Picture) -> Scaled:
    """Return the picture as an image at the resolution for OCR. Raises OSError if the bytes are not an image."""
    return Image.open(io.BytesIO(picture.data)), DPI / 72


def with_figure_words(steps: Iterator[Step], recognition: Callable[[], Recognition]) -> Iterator[Step]:
    """Add the words in figures to the steps of a reader that does not use OCR itself. `recognition` is called once, at
    the first figure."""
    figures: FigureWords | None = None
    for step in steps:
        if isinstance(step, ReadBlock) and step.picture:
            figures = figures or FigureWords(recognition())
            yield (yield from figures.block(step, 0))
        elif isinstance(step, ReadDocument) and figures:
            yield _with_warnings(step, figures)
        else:
            yield step


def _with_warnings(document: ReadDocument, figures: FigureWords) -> ReadDocument:
    recognition, warnings = figures.recognition, document.warnings
    if recognition.follows or recognition.engine or not recognition.pending:
        # OCR reads picture attachments like figures, so their reader's warning no longer applies.
        warnings = tuple(sentence for sentence in warnings if PICTURE_FILE not in sentence)
    return replace(document, warnings=(*warnings, *figures.warnings()), pending=tuple(recognition.pending))


def _pictures(count: int) -> str:
    return "1 picture" if count == 1 else f"{count} pictures"


def _is_large_enough(picture: Picture) -> bool:
    return min(Image.open(io.BytesIO(picture.data)).size) >= _MIN_SIDE


Answer = Iterator[tuple[Head, bytes]]

_COARSE_SECONDS = 2.0
"""Timestamp resolution, in seconds, of some file systems (FAT). Within that time, a file may change again without a
change of its mtime."""

_digests: dict[FileState, str] = {}
"""Digest of the last requested file, by the file's identity, size and times. Hashing a file of hundreds of megabytes
for each page would be slow."""


def recognition_answer(request: Head, data: bytes) -> Answer:
    """Yield progress steps, then the result. If the file's hash differs from the one in the request, the result is
    always `changed`. If a page cannot be rendered, the result is a failure."""
    own = engine()
    try:
        if own is None:
            raise UnreadableDocument("no text recognition is installed")
        if data:
            yield from _answer(lambda: scaled_picture(Picture(data, "")), own, data)
            return
        path, number = Path(request["path"]), int(request["place"][1:])
        check_file(path, request["file_bytes"])
        with pin_file(path, digest=_digest) as source:
            if source.content_hash == request["content_hash"]:
                yield from _answer(partial(_page_of, source.path, number), own)
            else:
                yield {"kind": "changed"}, b""
    except UnreadableDocument:
        yield {"kind": "changed"}, b""


def _answer(look: Callable[[], Scaled], own: OcrEngine, data: bytes = b"") -> Answer:
    steps = with_signs_of_life(recognise_picture(look, data, own) if data else recognise_image(look, own), 0)
    try:
        while True:
            yield encode_step(next(steps))
    except StopIteration as end:
        result: RecognitionResult = end.value
    except UnreadableDocument as reason:
        result = RecognitionResult(failure=str(reason))
    yield encode_recognised(result), b""


def _page_of(path: Path, number: int) -> Scaled:
    if path.suffix.lower() not in PDF:
        from corpus.readers.image_files import page_of_image

        return page_of_image(path, number)
    from corpus.readers.ocr.scans import render_scan
    from corpus.readers.pdf.pdf_file import open_pdf

    with open_pdf(path) as document:
        return render_scan(document, number)


def _digest(file: BinaryIO) -> str:
    key = file_state(os.fstat(file.fileno()))
    if key not in _digests:
        digest = digest_of(file)
        if max(key.mtime_ns, key.ctime_ns) / 1e9 + _COARSE_SECONDS > time.time():
            return digest
        _digests.clear()
        _digests[key] = digest
    return _digests[key]
