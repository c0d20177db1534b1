"""The pool of reading processes. A bad file can end only the process that reads it."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

import anyio

from corpus.documents.block import MAX_PICTURE_BYTES, Box, PagePicture, Picture
from corpus.errors import UnreadableDocument
from corpus.processes.child import GarbledFrame, Head
from corpus.readers.formats import PDF, READABLE
from corpus.readers.ocr.engine import RecognitionResult
from corpus.readers.protocol import Limits, PageDone, PageListener, ReadBlock, ReadDocument, Refuse
from corpus.readers.sandbox.step_codec import (
    decode_recognised,
    decode_step,
    page_count_of,
    page_size_of,
    picture_of,
)
from corpus.readers.sandbox.worker import T, Take, Worker

__all__ = ["READABLE", "ReadingProcesses", "reader_version"]

_VERSION = "12"
_MAX_DOCUMENT_BYTES = 500_000_000
"""Maximum size in bytes of a document's text and pictures, which the server keeps in memory."""
_LIMITS = Limits()


def reader_version() -> str:
    """Return a version that changes whenever the same bytes would produce different blocks."""
    return _VERSION


class ReadingProcesses:
    """Reads up to `count` files concurrently, each in a separate process; further calls wait.

    A process reads many files. It is replaced after a crash, a hang or a cancelled call, and when it is worn.
    `environment` is the environment of the processes, by default that of the server. `records` is the file of OCR
    results (see `corpus.readers.ocr.records`); without it, OCR is off.
    """

    def __init__(
        self,
        limits: Limits = _LIMITS,
        count: int = 1,
        *,
        environment: Mapping[str, str] | None = None,
        records: Path | None = None,
    ) -> None:
        self._limits = limits
        self._environment = environment
        self._records = os.fspath(records) if records else None
        self._slots = anyio.Semaphore(count)
        self._workers: set[Worker] = set()
        self._free: list[Worker] = []
        self._closed = False

    async def read(
        self, path: Path, listener: PageListener | None = None, refuse: Refuse | None = None
    ) -> ReadDocument:
        """Read a complete document; see `corpus.readers.protocol.Reading`.

        A cancelled call ends its process. Raises UnreadableDocument with a reason for the user, and InternalError if no
        process starts.
        """
        request = {"do": "read", "path": os.fspath(path), "records": self._records}
        read = await self._ask(request, _Collector(listener).take)
        refused = await refuse(read.pictures) if refuse and read.pictures else frozenset()
        return remove_pictures(read, refused) if refused else read

    async def page_count(self, path: Path) -> int:
        """Count the pages of a file with a suffix in COUNTED, without reading it. Raises UnreadableDocument like
        `read`."""
        request = {"do": "count", "path": os.fspath(path)}
        return await self._ask(request, lambda head, data: page_count_of(head))

    async def render_page(
        self,
        path: Path,
        page_number: int,
        *,
        content_hash: str,
        outlines: Sequence[Box] = (),
        marked: Sequence[Box] = (),
        max_bytes: int = MAX_PICTURE_BYTES,
    ) -> PagePicture | None:
        """Render a PDF page (1-based) with at most 1,600 pixels per side, a frame around each outline, and highlighted
        text lines. Boxes are in points.

        Return None if the file's SHA-256 is not `content_hash`, because nobody has decided who may see the new content.
        Raises UnreadableDocument like `read`, and if there is no such page.
        """
        if path.suffix.lower() not in PDF:
            raise UnreadableDocument("only the pages of a PDF can be shown as pictures")
        request = {
            "do": "render", "path": os.fspath(path), "page_number": page_number,
            "outlines": list(outlines), "marked": list(marked), "max_bytes": max_bytes, "content_hash": content_hash,
        }  # fmt: skip
        (picture,) = await self._ask(request, lambda head, data: (_picture(head, data, max_bytes),))
        return picture

    async def smaller_picture(self, picture: Picture, *, max_side: int, max_bytes: int) -> Picture:
        """Scale a stored picture to at most `max_side` pixels per side and `max_bytes`. Raises UnreadableDocument like
        `read`."""
        request = {"do": "smaller", "max_side": max_side, "max_bytes": max_bytes}
        (answer,) = await self._ask(request, lambda head, data: (_picture(head, data, max_bytes),), picture.data)
        if answer is None:
            raise UnreadableDocument("is no picture")
        return Picture(answer.data, answer.mime_type)

    async def recognise(self, path: Path, place: str, *, content_hash: str) -> RecognitionResult | None:
        """Run OCR on a page (`p12`). Return None if the file's SHA-256 is not `content_hash`, or if there is no such
        page.

        Raises UnreadableDocument like `read`, including EndedFromOutside.
        """
        request = {"do": "recognise", "path": os.fspath(path), "place": place, "content_hash": content_hash}
        (result,) = await self._ask(request, _recognition)
        return result

    async def recognise_picture(self, picture: Picture) -> RecognitionResult | None:
        """Run OCR on a stored picture. Raises the errors of `recognise`."""
        (result,) = await self._ask({"do": "recognise"}, _recognition, picture.data)
        return result

    async def aclose(self) -> None:
        """End all processes. Running calls raise UnreadableDocument."""
        self._closed = True
        self._free.clear()
        while self._workers:
            await self._workers.pop().end()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _ask(self, request: Head, take: Take[T], data: bytes = b"") -> T:
        async with self._worker() as worker:
            return await worker.ask(request | {"file_bytes": self._limits.file_bytes}, take, data)

    @asynccontextmanager
    async def _worker(self) -> AsyncIterator[Worker]:
        async with self._slots:
            if self._closed:
                raise UnreadableDocument("reading has been closed")
            worker = await self._free_worker()
            try:
                yield worker
            finally:
                if worker.idle and not worker.worn and not self._closed:
                    self._free.append(worker)
                else:
                    await self._discard(worker)

    async def _free_worker(self) -> Worker:
        while self._free:
            worker = self._free.pop()
            answers = False
            try:
                answers = await worker.answers()
            finally:
                if not answers:  # it died between two files, which must not fail the next file
                    await self._discard(worker)
            if answers:
                return worker
        worker = await Worker.start(self._limits, self._environment)
        self._workers.add(worker)
        return worker

    async def _discard(self, worker: Worker) -> None:
        self._workers.discard(worker)
        await worker.end()


class _Collector:
    """Collects the blocks of one answer."""

    def __init__(self, listener: PageListener | None) -> None:
        self._listener = listener
        self._blocks: list[ReadBlock] = []
        self._bytes = 0

    def take(self, head: Head, data: bytes) -> ReadDocument | None:
        """Process a frame. Return the complete document at the last step, and None before."""
        step = decode_step(head, data)
        if isinstance(step, ReadDocument):
            return replace(step, blocks=tuple(self._blocks))
        if isinstance(step, ReadBlock):
            self._bytes += len(step.content) + len(data)
            if self._bytes > _MAX_DOCUMENT_BYTES:
                raise UnreadableDocument(f"holds more than {_MAX_DOCUMENT_BYTES // 1_000_000} MB of text and pictures")
            self._blocks.append(step)
        if isinstance(step, PageDone) and step.read and self._listener:
            self._listener(*step.read)
        return None


def remove_pictures(read: ReadDocument, refused: frozenset[str]) -> ReadDocument:
    """Remove the pictures of these files from a document, and the words that OCR found in them. Captions stay, because
    they are text of the document itself."""
    hashes = {content_hash for path, content_hash in read.pictures if path in refused}
    blocks, removed = [], set()
    for block in read.blocks:
        if block.source_hash not in hashes:
            blocks.append(block)
            continue
        removed.add(block.place)
        if block.image_caption and block.image_caption not in (block.heading or ""):
            blocks.append(
                replace(block, block_type="text", content=block.image_caption, image_caption=None, picture=None)
            )
    return replace(
        read,
        blocks=tuple(blocks),
        pending=tuple(place for place in read.pending if place not in removed),
        pictures=tuple(picture for picture in read.pictures if picture[0] not in refused),
        warnings=(
            *read.warnings,
            f"Pictures left out, because they are excluded or not all readers may see them: {len(refused)}.",
        ),
    )


def _recognition(head: Head, data: bytes) -> tuple[RecognitionResult | None] | None:
    match head.get("kind"):
        case "page":
            return None
        case "changed":
            return (None,)
        case "recognised":
            return (decode_recognised(head),)
        case other:
            raise GarbledFrame(f"nothing recognised is called {other!r}")


def _picture(head: Head, data: bytes, max_bytes: int) -> PagePicture | None:
    if head.get("kind") == "changed":
        return None
    if head.get("kind") != "picture" or len(data) > max_bytes:
        raise GarbledFrame("no picture within its limit")
    picture = picture_of(head.get("mime_type"), data)
    return PagePicture(picture.data, picture.mime_type, page_size_of(head.get("size")))
