"""A picture that is a file of its own: one block for each page, named after the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from corpus.blocks import Picture
from corpus.errors import UnreadableDocument
from corpus.readers.files import file_bytes
from corpus.readers.pictures import BROKEN, NoPicture, encoded, opened, shown
from corpus.readers.promise import ReadBlock, ReadDocument
from corpus.readers.steps import PageDone, Step
from corpus.text import clean

_MOST_BYTES = 200_000_000
_MOST_PAGES = 500


def read_image(path: Path) -> Iterator[Step]:
    """Image blocks; UnreadableDocument when it is damaged or has too many pixels."""
    data = file_bytes(path, _MOST_BYTES)
    caption = clean(path.stem.replace("_", " ")).strip() or None
    try:
        image = opened(data)
        count = _pages(image)
        for number in range(1, min(count, _MOST_PAGES) + 1):
            picture = _page(image, number) if count > 1 else shown(data)
            yield ReadBlock(
                place=f"p{number}-f1",
                block_type="image",
                content=words_in(picture),
                image_caption=caption,
                picture=picture,
                page_number=number if count > 1 else None,
            )
            yield PageDone(number)
    except NoPicture as error:
        raise UnreadableDocument(f"the picture {error}") from error
    yield ReadDocument(page_count=count if count > 1 else None, warnings=tuple(_warnings(count)))


def words_in(picture: Picture) -> str:
    """The words that can be read in a picture: none, until there is something that reads them."""
    return ""


def _pages(image: Image.Image) -> int:
    """Of a TIFF its pages; the frames of what moves are one."""
    try:
        return int(getattr(image, "n_frames", 1)) if image.format == "TIFF" else 1
    except BROKEN as error:
        raise NoPicture("is damaged") from error


def _page(image: Image.Image, number: int) -> Picture:
    try:
        image.seek(number - 1)
        return encoded(image.copy())
    except BROKEN as error:
        raise NoPicture("is damaged") from error


def _warnings(count: int) -> Iterator[str]:
    yield (
        "The words in the picture are not read." if count == 1 else "The words in the pictures are not read."
    )
    if count > _MOST_PAGES:
        yield f"Only the first {_MOST_PAGES} of {count} pages were read."
