"""The door to all readers: files are read in processes of their own, so that one file costs one file at most."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

import anyio

from corpus.blocks import Box, PagePicture, Picture
from corpus.errors import UnreadableDocument
from corpus.readers.formats import PDF, READABLE
from corpus.readers.frames import GarbledFrame, Head
from corpus.readers.messages import page_count_of, page_size_of, picture_of, recognised_of, step_of
from corpus.readers.ocr.pieces import Recognised
from corpus.readers.protocol import Limits, PageListener, ReadBlock, ReadDocument, Refuse
from corpus.readers.steps import PageDone
from corpus.readers.worker import T, Take, Worker

__all__ = ["READABLE", "ReadingProcesses", "reader_version"]

_VERSION = "11"
_MOST_BYTES = 500_000_000
_LIMITS = Limits()


def reader_version() -> str:
    """Changes whenever the blocks of the same bytes would."""
    return _VERSION


class ReadingProcesses:
    """Reads up to `count` files at a time, each in a process of its own; more calls wait for their turn.

    A process serves many files. It is replaced when it crashed, hung, was cancelled or has done its part.
    `environment` is the one of the processes, as a rule that of the server. `records` is the file of what was
    recognised in pictures, see `corpus.readers.ocr.records`; without one text recognition is off.
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
        self._turns = anyio.Semaphore(count)
        self._workers: set[Worker] = set()
        self._free: list[Worker] = []
        self._closed = False

    async def read(
        self, path: Path, listener: PageListener | None = None, refuse: Refuse | None = None
    ) -> ReadDocument:
        """Read the whole document; see `corpus.readers.protocol.Reading`. Raises UnreadableDocument with a reason for a
        person when there is none.

        A call that is cancelled ends the process that works on it. InternalError when no process starts.
        """
        request = {"do": "read", "path": os.fspath(path), "records": self._records}
        read = await self._ask(request, _Collected(listener).take)
        refused = await refuse(read.pictures) if refuse and read.pictures else frozenset()
        return without_pictures(read, refused) if refused else read

    async def page_count(self, path: Path) -> int:
        """Of a file of the kinds in COUNTED, which is opened and not read. UnreadableDocument as for `read`."""
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
        max_bytes: int = 1_000_000,
    ) -> PagePicture | None:
        """The page of a PDF (1-based) as a picture of at most 1600 pixels a side, with a frame around each outline, and
        with marks on the lines of a text.

        None when the SHA-256 of the file is not `content_hash`: nobody has said who may see what lies there now.
        UnreadableDocument as for `read`, and when the document has no such page.
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
        """A picture that an index holds, within so many pixels a side and so many bytes. UnreadableDocument as for
        `read`."""
        request = {"do": "smaller", "max_side": max_side, "max_bytes": max_bytes}
        (made,) = await self._ask(
            request, lambda head, data: (_picture(head, data, max_bytes),), picture.data
        )
        if made is None:
            raise UnreadableDocument("is no picture")
        return Picture(made.data, made.mime_type)

    async def recognise(self, path: Path, place: str, *, content_hash: str) -> Recognised | None:
        """What text recognition finds in a page of a file, `p12`. None when the SHA-256 of the file is not
        `content_hash`, or the page cannot be come to.

        UnreadableDocument as for `read`: where the page costs more than it may, EndedFromOutside among it.
        """
        request = {"do": "recognise", "path": os.fspath(path), "place": place, "content_hash": content_hash}
        (found,) = await self._ask(request, _recognised)
        return found

    async def recognise_picture(self, picture: Picture) -> Recognised | None:
        """The same of a picture that an index holds."""
        (found,) = await self._ask({"do": "recognise"}, _recognised, picture.data)
        return found

    async def aclose(self) -> None:
        """Ends all processes; calls that still run get UnreadableDocument."""
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
        async with self._turns:
            if self._closed:
                raise UnreadableDocument("reading has been closed")
            worker = await self._free_worker()
            try:
                yield worker
            finally:
                if worker.idle and not worker.worn and not self._closed:
                    self._free.append(worker)
                else:
                    await self._part_with(worker)

    async def _free_worker(self) -> Worker:
        while self._free:
            worker = self._free.pop()
            answers = False
            try:
                answers = await worker.answers()
            finally:
                if not answers:  # it died or went wrong between two files, and none shall pay for it
                    await self._part_with(worker)
            if answers:
                return worker
        worker = await Worker.start(self._limits, self._environment)
        self._workers.add(worker)
        return worker

    async def _part_with(self, worker: Worker) -> None:
        self._workers.discard(worker)
        await worker.end()


class _Collected:
    """The blocks of one answer, as they come."""

    def __init__(self, listener: PageListener | None) -> None:
        self._listener = listener
        self._blocks: list[ReadBlock] = []
        self._bytes = 0

    def take(self, head: Head, data: bytes) -> ReadDocument | None:
        """The whole document at its last step, None before."""
        step = step_of(head, data)
        if isinstance(step, ReadDocument):
            return replace(step, blocks=tuple(self._blocks))
        if isinstance(step, ReadBlock):
            self._bytes += len(step.content) + len(data)
            if self._bytes > _MOST_BYTES:
                raise UnreadableDocument(
                    f"holds more than {_MOST_BYTES // 1_000_000} MB of text and pictures"
                )
            self._blocks.append(step)
        if isinstance(step, PageDone) and step.read and self._listener:
            self._listener(*step.read)
        return None


def without_pictures(read: ReadDocument, refused: frozenset[str]) -> ReadDocument:
    """Take the pictures of these files out of a document, and what was read in them. Captions stay: they are the
    document's own text."""
    hashes = {content_hash for path, content_hash in read.pictures if path in refused}
    blocks, gone = [], set()
    for block in read.blocks:
        if block.source_hash not in hashes:
            blocks.append(block)
            continue
        gone.add(block.place)
        if block.image_caption and block.image_caption not in (block.heading or ""):
            blocks.append(
                replace(
                    block, block_type="text", content=block.image_caption, image_caption=None, picture=None
                )
            )
    return replace(
        read,
        blocks=tuple(blocks),
        pending=tuple(place for place in read.pending if place not in gone),
        pictures=tuple(picture for picture in read.pictures if picture[0] not in refused),
        warnings=(
            *read.warnings,
            f"Pictures left out, which its readers may not see or which are left out of the documents: {len(refused)}.",
        ),
    )


def _recognised(head: Head, data: bytes) -> tuple[Recognised | None] | None:
    match head.get("kind"):
        case "page":
            return None
        case "changed":
            return (None,)
        case "recognised":
            return (recognised_of(head),)
        case other:
            raise GarbledFrame(f"nothing recognised is called {other!r}")


def _picture(head: Head, data: bytes, max_bytes: int) -> PagePicture | None:
    if head.get("kind") == "changed":
        return None
    if head.get("kind") != "picture" or len(data) > max_bytes:
        raise GarbledFrame("no picture within its limit")
    picture = picture_of(head.get("mime_type"), data)
    return PagePicture(picture.data, picture.mime_type, page_size_of(head.get("size")))
