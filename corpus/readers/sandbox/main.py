"""The reading process. It reads requests from standard input, writes answers as frames, and exits when the server
exits."""

from __future__ import annotations

import contextlib
import errno
import gc
import hashlib
import os
import queue
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from corpus.errors import UnreadableDocument
from corpus.processes.child import Head, frame, out_of_memory, own_output, read_frame, set_bounds
from corpus.readers.formats import IMAGES, MARKDOWN, PDF, WEB, reader_for
from corpus.readers.pinned_file import PinnedFile, check_file, file_bytes, pin_file
from corpus.readers.protocol import ReadBlock, ReadDocument, RecognisingReader, Step, TextReader
from corpus.readers.sandbox.step_codec import encode_step

if TYPE_CHECKING:
    from corpus.readers.ocr.recognition import Recognition

Answer = Iterator[tuple[Head, bytes]]
Requests = queue.SimpleQueue[tuple[Head, bytes] | None]

SCAN_SUFFIXES = PDF | IMAGES
"""Suffixes of files whose reader also receives a Recognition."""
NEIGHBOUR_SUFFIXES = MARKDOWN | WEB
"""Suffixes of files that may show pictures stored next to them."""

_FULL = frozenset(getattr(errno, name) for name in ("ENOSPC", "EFBIG", "EDQUOT") if hasattr(errno, name))
_GRACE = 2.0
"""Seconds from the server's exit until this process exits, even if a page is still being read."""

NOTHING_FOUND = "It contains nothing to read: no text and no picture that a search could find."
"""Warning for a document in which nothing can be found."""


def main(memory_bytes: str, temporary_folder: str) -> None:
    """Answer requests in order until there are no more, then remove the temporary folder, because the server may no
    longer be running."""
    output = own_output()
    # The server handles interrupts, and then ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Readers create many small objects and few cycles: a collection every 700 objects takes 7 % of the time for a PDF.
    gc.set_threshold(50_000, 20, 50)
    # Each of numpy's threads would reserve address space, and there is no work for them to share.
    os.putenv("OPENBLAS_NUM_THREADS", "1")
    set_bounds(int(memory_bytes))
    tempfile.tempdir = temporary_folder
    requests: Requests = queue.SimpleQueue()
    threading.Thread(target=_take_requests, args=(sys.stdin.buffer, requests, temporary_folder), daemon=True).start()
    output.write(frame({"kind": "ready"}))
    while (request := requests.get()) is not None:
        _answer(*request, output)
    shutil.rmtree(temporary_folder, ignore_errors=True)


def _take_requests(source: IO[bytes], requests: Requests, temporary_folder: str) -> None:
    # A separate thread notices that the server has exited, even while a page hangs.
    with contextlib.suppress(Exception):
        while (received := read_frame(source)) is not None:
            requests.put(received)
    requests.put(None)
    time.sleep(_GRACE)
    shutil.rmtree(temporary_folder, ignore_errors=True)
    os._exit(0)


def _answer(request: Head, received: bytes, output: IO[bytes]) -> None:
    try:
        for head, data in _answer_to(request, received):
            output.write(frame(head, data))
    except MemoryError:
        out_of_memory()
    except UnreadableDocument as error:
        output.write(frame({"kind": "failed", "reason": str(error)}))
    except BrokenPipeError:
        os._exit(0)
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _FULL:
            reason = f"there was no disk space for its temporary files ({error.strerror})"
        else:
            traceback.print_exc()
            reason = f"the reader failed on it ({type(error).__name__})"
        output.write(frame({"kind": "failed", "reason": reason, "crashed": True}))


def _read(path: Path, request: Head) -> Answer:
    """Yield the steps of a document as an answer. The document itself comes last, once nothing can fail any more, with
    the state of the file that was read."""
    document, is_empty = None, True
    with pin_file(path) as source:
        for step in _steps(source, request):
            if isinstance(step, ReadDocument):
                document = step
            else:
                is_empty = is_empty and not isinstance(step, ReadBlock)
                yield encode_step(step)
        if document:
            if is_empty and not document.pending and not document.warnings:
                document = replace(document, warnings=(*document.warnings, NOTHING_FOUND))
            content_hash = source.content_hash if source.is_unchanged() else ""
            pictures = tuple(sorted(source.neighbours.read.items()))
            yield encode_step(replace(document, content_hash=content_hash, file=source.state, pictures=pictures))


def _steps(source: PinnedFile, request: Head) -> Iterator[Step]:
    path, suffix = source.path, source.path.suffix.lower()
    reader, recognition = reader_for(path), partial(_recognition, source.content_hash, request)
    if suffix in SCAN_SUFFIXES:
        return cast(RecognisingReader, reader)(path, recognition())
    if suffix in NEIGHBOUR_SUFFIXES:
        return _with_figure_words(cast(TextReader, reader)(path, source.neighbours), recognition)
    return _with_figure_words(reader(path), recognition)


def _with_figure_words(steps: Iterator[Step], recognition: Callable[[], Recognition]) -> Iterator[Step]:
    """Import OCR only at the first figure, because most documents have none."""
    for step in steps:
        if isinstance(step, ReadBlock) and step.picture:
            from corpus.readers.ocr.recognition import with_figure_words

            yield from with_figure_words(chain([step], steps), recognition)
        else:
            yield step


def _recognition(content_hash: str, request: Head) -> Recognition:
    """Return the Recognition for a file with this content hash, with the results so far."""
    from corpus.readers.ocr.engine import ENGINE, is_installed
    from corpus.readers.ocr.recognition import Recognition
    from corpus.readers.ocr.records import Records

    file = request.get("records")
    if not file:
        return Recognition()
    records = Records(Path(file), ENGINE)
    places = records.places(content_hash)
    return Recognition(
        records=lambda place: records.of(content_hash, place) if place in places else None,
        follows=is_installed(),
    )


def _smaller(request: Head, data: bytes) -> Answer:
    from corpus.readers.picture_encoding import NoPicture, shrink_picture

    try:
        picture = shrink_picture(data, request["max_side"], request["max_bytes"])
    except NoPicture as error:
        raise UnreadableDocument(str(error)) from error
    yield {"kind": "picture", "mime_type": picture.mime_type, "size": (1, 1)}, picture.data


def _answer_to(request: Head, data: bytes) -> Answer:
    if request["do"] == "ping":
        yield {"kind": "ready"}, b""
        return
    if request["do"] == "recognise":
        from corpus.readers.ocr.recognition import recognition_answer

        yield from recognition_answer(request, data)
        return
    if request["do"] == "smaller":
        yield from _smaller(request, data)
        return
    path = Path(request["path"])
    check_file(path, request["file_bytes"])
    if request["do"] == "read":
        yield from _read(path, request)
    elif request["do"] == "count":
        from corpus.readers.formats import page_count

        yield {"kind": "count", "pages": page_count(path)}, b""
    else:
        from corpus.readers.pdf.page_pictures import page_picture

        outlines, marked = ([tuple(box) for box in request[name]] for name in ("outlines", "marked"))
        data = file_bytes(path, request["file_bytes"])
        if hashlib.sha256(data).hexdigest() != request["content_hash"]:
            yield {"kind": "changed"}, b""
            return
        picture = page_picture(data, request["page_number"], outlines, marked, request["max_bytes"])
        yield {"kind": "picture", "mime_type": picture.mime_type, "size": picture.size}, picture.data
