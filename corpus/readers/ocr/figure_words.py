"""Words within figures, from text recognition: for one figure, or for all figures of a document."""

from __future__ import annotations

import io
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field, replace

from PIL import Image

from corpus.documents.block import Picture
from corpus.documents.machine_text import with_ocr_text
from corpus.readers.ocr.engine_choice import PICTURE_FILE
from corpus.readers.ocr.recognition import (
    DPI,
    Recognition,
    RecognitionFailed,
    RecognitionPending,
    Scaled,
    with_signs_of_life,
)
from corpus.readers.protocol import ReadBlock, ReadDocument, Step

MAX_WORDS = 1000  # Characters of a figure's words; more would outweigh its caption in search.
_MIN_SIDE = 100  # Pixels; smaller pictures are icons.


@dataclass(slots=True)
class FigureWords:
    """Recognition of the figures of one document. `read` counts figures with words, `given_up` failures, and `pending`
    figures that recognition has not reached."""

    recognition: Recognition
    read: int = field(default=0, init=False)
    given_up: int = field(default=0, init=False)
    pending: int = field(default=0, init=False)

    def block(self, block: ReadBlock, page: int) -> Generator[Step, None, ReadBlock]:
        """The figure's block with the words recognised in its picture. Each step is a sign of life."""
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
        """Yield sentences on the figures that were read, and on those that were not."""
        if self.read:
            yield (
                f"The words in {_pictures(self.read)} were read by text recognition (OCR); single characters and "
                "numbers may be wrong."
            )
        yield from self.losses()

    def losses(self) -> Iterator[str]:
        """Yield sentences on the figures that were not read."""
        if self.pending and self.recognition.follows:
            yield (
                f"The words in {_pictures(self.pending)} are not read yet by text recognition (OCR), which "
                "comes after all texts."
            )
        if self.given_up:
            yield (
                f"The words in {_pictures(self.given_up)} are not read: text recognition (OCR) failed and was given up."
            )


def scaled_picture(picture: Picture) -> Scaled:
    """The picture as an image at the resolution of text recognition. Raises OSError for bytes that are no image."""
    return Image.open(io.BytesIO(picture.data)), DPI / 72


def with_figure_words(steps: Iterator[Step], recognition: Callable[[], Recognition]) -> Iterator[Step]:
    """Add the words in figures to the steps of a reader that does not use text recognition itself. `recognition` is
    called once, at the first figure."""
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
        # Picture attachments are recognised like figures, so their reader's warning no longer holds.
        warnings = tuple(sentence for sentence in warnings if PICTURE_FILE not in sentence)
    return replace(document, warnings=(*warnings, *figures.warnings()), pending=tuple(recognition.pending))


def _pictures(count: int) -> str:
    return "1 picture" if count == 1 else f"{count} pictures"


def _is_large_enough(picture: Picture) -> bool:
    return min(Image.open(io.BytesIO(picture.data)).size) >= _MIN_SIDE
