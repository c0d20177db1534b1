"""Reader for image files: yields one block per page of the file, captioned with the file's name."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path

from PIL import Image, ImageOps

from corpus.documents.block import Picture
from corpus.documents.machine_text import ocr_place, with_ocr_text
from corpus.errors import UnreadableDocument
from corpus.readers.chunking import MAX_BLOCK, split_spans
from corpus.readers.ocr.engine import unread_picture
from corpus.readers.ocr.recognition import (
    DPI,
    TOOK_TOO_LONG,
    Recognition,
    RecognitionFailed,
    RecognitionPending,
    Scaled,
    is_slow,
    with_signs_of_life,
)
from corpus.readers.picture_encoding import BROKEN, NoPicture, displayable, encode_picture, open_picture
from corpus.readers.pinned_file import file_bytes
from corpus.readers.protocol import PageDone, ReadBlock, ReadDocument, Step
from corpus.text.normalization import clean

_MAX_BYTES = 200_000_000  # Maximum file size in bytes, about that of a PNG of 100 megapixels.
_MAX_PAGES = 500  # Maximum number of pages in a TIFF, as many as a document scanner puts into one file.


def read_image(path: Path, recognition: Recognition | None = None) -> Iterator[Step]:
    """Read an image file into image blocks that contain the words found by OCR. If these words exceed the size of a
    block, they become separate text blocks. Yields blocks, progress steps, and finally the `ReadDocument`.

    Raises UnreadableDocument for damaged files and files with too many pixels.
    """
    recognition = recognition or Recognition()
    is_read, failure = False, ""
    data = file_bytes(path, _MAX_BYTES)
    caption = clean(path.stem.replace("_", " ")).strip() or None
    try:
        image = open_picture(data)
        count = _pages(image)
        pages = min(count, _MAX_PAGES)
        for number in range(1, pages + 1):
            picture = _page(image, number) if count > 1 else displayable(data)
            try:
                words = yield from _recognised_words(image, number, recognition)
            except RecognitionPending:
                words = ""
            except RecognitionFailed as reason:
                words, failure = "", str(reason)
            is_read = is_read or bool(words)
            figure = ReadBlock(
                place=f"p{number}-f1",
                block_type="image",
                content=with_ocr_text("", words) if words and len(words) <= MAX_BLOCK else "",
                image_caption=caption,
                picture=picture,
                page_number=number if count > 1 else None,
            )
            yield figure
            if len(words) > MAX_BLOCK:
                yield from _text_blocks(words, figure)
            yield PageDone(number, (number, pages))
    except NoPicture as error:
        raise UnreadableDocument(f"the picture {error}") from error
    yield ReadDocument(
        page_count=count if count > 1 else None,
        warnings=tuple(_warnings(count, recognition, failure, is_read=is_read)),
        pending=tuple(recognition.pending),
    )


def _recognised_words(image: Image.Image, number: int, recognition: Recognition) -> Generator[Step, None, str]:
    """Return the words that OCR finds on a page, one paragraph per line. Raises RecognitionFailed and
    RecognitionPending."""
    try:
        words = yield from with_signs_of_life(
            recognition.text(f"p{number}", lambda: _page_at_ocr_size(image, number)), number - 1
        )
        return clean(words)
    except BROKEN as error:
        raise RecognitionFailed("failed") from error


def page_of_image(path: Path, number: int) -> Scaled:
    """Return page `number` (1-based) of an image file at the size that OCR needs. Raises NoPicture."""
    return _page_at_ocr_size(open_picture(file_bytes(path, _MAX_BYTES)), number)


def _page_at_ocr_size(image: Image.Image, number: int) -> Scaled:
    try:
        image.seek(number - 1)
        return ImageOps.exif_transpose(image), DPI / 72
    except BROKEN as error:
        raise NoPicture("is damaged") from error


def _text_blocks(words: str, figure: ReadBlock) -> Iterator[ReadBlock]:
    page = figure.place.partition("-")[0]
    for count, (start, end) in enumerate(split_spans(words), 1):
        yield ReadBlock(
            place=ocr_place(f"{page}-{count}"),
            block_type="text",
            content=words[start:end].strip(),
            page_number=figure.page_number,
        )


def _pages(image: Image.Image) -> int:
    """Return the number of pages of a TIFF. An animation counts as one page."""
    try:
        return int(getattr(image, "n_frames", 1)) if image.format == "TIFF" else 1
    except BROKEN as error:
        raise NoPicture("is damaged") from error


def _page(image: Image.Image, number: int) -> Picture:
    try:
        image.seek(number - 1)
        return encode_picture(image.copy())
    except BROKEN as error:
        raise NoPicture("is damaged") from error


def _warnings(count: int, recognition: Recognition, failure: str, *, is_read: bool) -> Iterator[str]:
    pictures = "the picture" if count == 1 else "the pictures"
    if recognition.pending:
        yield unread_picture(count, follows=recognition.follows)
    if failure:
        what = TOOK_TOO_LONG if is_slow(failure) else "failed"
        some = "the picture" if count == 1 else "a picture"
        yield f"Text recognition (OCR) of {some} {what} and was given up."
    if is_read:
        yield (
            f"The words in {pictures} were read by text recognition (OCR); single characters and numbers may be wrong."
        )
    if count > _MAX_PAGES:
        yield f"Only the first {_MAX_PAGES} of {count} pages were read."
