"""Recognition of one picture on request of the server: a page of a file, or a picture sent along."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

from corpus.documents.block import Picture
from corpus.errors import UnreadableDocument
from corpus.processes.frames import Head
from corpus.readers.files import FileState, check_file, digest_of, file_state, pin_file
from corpus.readers.formats import PDF
from corpus.readers.ocr.engine import OcrEngine, RecognitionResult, engine
from corpus.readers.ocr.recognition import (
    Scaled,
    recognise_image,
    recognise_picture,
    scaled_picture,
    with_signs_of_life,
)
from corpus.readers.sandbox.step_codec import encode_recognised, encode_step

Answer = Iterator[tuple[Head, bytes]]

_COARSE_SECONDS = 2.0
"""Time resolution of some file systems (FAT): a file may change again within it and keep its mtime."""

_digests: dict[FileState, str] = {}
"""Digest of the last file asked for, by identity, size and times. Hashing a file of hundreds of megabytes per page
would be slow."""


def recognition_answer(request: Head, data: bytes) -> Answer:
    """Yield signs of life, then the result. A file with other bytes than the request names gives `changed`, whatever
    else is wrong with it. A page that cannot be drawn gives a failure."""
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
    from corpus.readers.pdf.document import open_pdf

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
