"""The words within figures, read by text recognition: of a figure alone, and of all figures that a reader gives."""

from __future__ import annotations

import io
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace

from PIL import Image

from corpus.blocks import Picture
from corpus.readers.ocr.choice import PICTURE_FILE
from corpus.readers.ocr.recognition import GaveUp, Recognition, alive
from corpus.readers.promise import ReadBlock, ReadDocument
from corpus.readers.steps import Step
from corpus.recognised import with_recognised

MOST_WORDS = 1000
"""Letters."""
_SMALLEST_SIDE = 100


def words_in(picture: Picture, recognition: Recognition) -> Generator[None, None, str]:
    """Its lines as they stand, bounded; empty where none are found or it is given up. Each step is a sign of life."""
    image = Image.open(io.BytesIO(picture.data))
    if min(image.size) < _SMALLEST_SIDE:
        return ""
    try:
        words = yield from recognition.words(image)
    except GaveUp:
        return ""
    return words[:MOST_WORDS]


def with_figure_words(steps: Iterator[Step], recognition: Callable[[], Recognition]) -> Iterator[Step]:
    """The steps of a reader that knows nothing of text recognition, with the words in its figures. `recognition` is
    called for the first figure only."""
    made: Recognition | None = None
    read = 0
    for step in steps:
        if isinstance(step, ReadBlock) and step.picture:
            made = made or recognition()
            words = (yield from alive(words_in(step.picture, made), 0)) if made.engine else ""
            read += bool(words)
            yield replace(step, content=with_recognised(step.content, words)) if words else step
        elif isinstance(step, ReadDocument) and made:
            yield _told(step, made, read)
        else:
            yield step


def _told(document: ReadDocument, recognition: Recognition, read: int) -> ReadDocument:
    if recognition.engine is None:
        return replace(document, has_unread_pictures=True)
    # An attachment that is a picture has been looked at by now, whatever its reader said.
    document = replace(
        document, warnings=tuple(said for said in document.warnings if PICTURE_FILE not in said)
    )
    pictures = "1 picture" if read == 1 else f"{read} pictures"
    said = f"The words in {pictures} were read by text recognition (OCR); single letters and numbers may be wrong."
    return replace(document, warnings=(*document.warnings, said)) if read else document
