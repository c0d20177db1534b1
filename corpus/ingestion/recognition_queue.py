"""Run OCR on pictures after all files have been read, on all cores, with one picture per worker at a time."""

from __future__ import annotations

import hashlib
import math
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

import anyio
import anyio.to_thread
import structlog
from filelock import FileLock

from corpus.access import Caller
from corpus.documents.block import Picture
from corpus.documents.document import Document
from corpus.errors import DocumentNotFound, NotConfigured, UnreadableDocument
from corpus.index.protocol import WritableIndex
from corpus.ingestion.paths import is_under
from corpus.ingestion.report import Progress
from corpus.processes.gather import gather
from corpus.processes.locks import acquire
from corpus.readers.ocr.engine import RecognitionResult
from corpus.readers.ocr.records import Records
from corpus.readers.sandbox.worker import EndedFromOutside

log = structlog.get_logger()


T = TypeVar("T")

EVERYONE = Caller(unfiltered=True)
"""The caller for ingestion, who may read every document."""

READINGS = 16
"""Fraction of a document's pictures, as a divisor, after whose OCR the document is first read again: one sixteenth.
Later readings follow each time the number of recognised pictures doubles, so layout runs at most five extra times and
costs little compared with OCR."""

MAX_PASSES = 2
"""Maximum number of passes over a document. If pictures are still pending after OCR of all of them, the document's
pictures have changed and a second pass follows. If that happens again, the document waits for the next run."""

_PAGE = re.compile(r"p\d+")

ReadAgain = Callable[[Sequence[Path]], Awaitable[object]]
"""Function that reads the documents at the given paths again; see `corpus.ingestion.ingest.Ingestion.read_again`."""


class Recogniser(Protocol):
    """Runs OCR on pictures; `corpus.readers.sandbox.pool.ReadingProcesses` implements it."""

    async def recognise(self, path: Path, place: str, *, content_hash: str) -> RecognitionResult | None:
        """Run OCR on a page of a file. Return None if the file's SHA-256 differs from `content_hash` or it has no such
        page. Raises UnreadableDocument."""

    async def recognise_picture(self, picture: Picture) -> RecognitionResult | None:
        """Run OCR on a stored picture. Raises UnreadableDocument."""


@dataclass(eq=False)
class Unfinished:
    """Documents with equal content that await OCR. `pending` contains the pages and figures that awaited OCR when the
    documents were last read; OCR has not started for those in `todo`, and is done for those in `recognised`."""

    content_hash: str
    documents: list[Document] = field(default_factory=list)
    pending: frozenset[str] = frozenset()
    todo: list[str] = field(default_factory=list)
    recognised: set[str] = field(default_factory=set)
    under_way: int = 0
    total: int = 0
    lock: FileLock | None = None

    @property
    def fresh(self) -> int:
        """Number of pages and figures recognised since the documents were last read."""
        return len(self.recognised & self.pending)

    @property
    def is_done(self) -> bool:
        """Whether OCR is finished."""
        return not self.todo and not self.under_way


class RecognitionQueue:
    """The OCR queue shared by all rounds over the same roots. OCR runs on up to `at_once` pictures concurrently."""

    def __init__(
        self,
        index: WritableIndex,
        recogniser: Recogniser,
        records: Records,
        *,
        roots: Sequence[Path],
        at_once: int,
    ) -> None:
        self.index = index
        self.recogniser = recogniser
        self.records = records
        self.counts_when_read: dict[str, int] = defaultdict(int)
        """Number of pictures that had been recognised when a document was last read, by content hash."""
        self.passes: dict[str, int] = defaultdict(int)
        self._roots = tuple(roots)
        self._at_once = at_once

    async def round(self, read_again: ReadAgain, progress: Progress, go_on: Callable[[], bool] = lambda: True) -> bool:
        """Run OCR on pending pictures until `go_on` returns False. Return whether another round is worthwhile.

        Raises IbidError if the index or the reading processes fail, or if results cannot be stored.
        """
        unfinished = await self._unfinished()
        return bool(unfinished) and await _Round(self, unfinished, read_again, progress, go_on).run(self._at_once)

    async def _unfinished(self) -> list[Unfinished]:
        """Return unfinished documents, sorted by their number of pictures, so that a one-page letter does not wait
        for a book."""
        pending = [each for each in await self.index.all_documents() if each.pending]
        hashes = {each.content_hash for each in pending}
        await on_disk(self.records.keep_only, hashes)
        by_hash: dict[str, Unfinished] = {}
        for document in pending:
            content_hash = document.content_hash
            is_ours = any(is_under(Path(document.source_path), root) for root in self._roots)
            if is_ours and self.passes[content_hash] < MAX_PASSES:
                by_hash.setdefault(content_hash, Unfinished(content_hash)).documents.append(document)
        await anyio.to_thread.run_sync(self._look_up, by_hash.values())
        return sorted(by_hash.values(), key=lambda each: each.total)

    def _look_up(self, unfinished: Iterable[Unfinished]) -> None:
        for each in unfinished:
            places = dict.fromkeys(place for document in each.documents for place in document.pending)
            each.recognised.update(self.records.places(each.content_hash))
            each.todo = [place for place in places if place not in each.recognised]
            each.pending, each.total = frozenset(places), len(places)


class _Round:
    """One round: workers process the pictures one after another, and a separate task reads the documents again."""

    def __init__(
        self,
        whole: RecognitionQueue,
        unfinished: Sequence[Unfinished],
        read_again: ReadAgain,
        progress: Progress,
        go_on: Callable[[], bool],
    ) -> None:
        self._whole = whole
        self._waiting = list(unfinished)
        self._read_again = read_again
        self._progress = progress
        self._go_on = go_on
        self._total = sum(each.total for each in unfinished)
        self._done = sum(each.fresh for each in unfinished)
        self._current: Unfinished | None = None
        self._taking = anyio.Lock()
        self._locked: list[Unfinished] = []
        self._due: list[Unfinished] = []
        self._news = anyio.Event()
        self._at_work = 0
        self._more = False

    async def run(self, at_once: int) -> bool:
        """Run the round. Return whether another one is worthwhile."""
        self._progress.recognised(self._done, self._total)
        self._at_work = at_once
        try:
            await gather([self._recognise] * at_once + [self._keep_reading], at_once=at_once + 1)
        finally:
            for each in list(self._locked):
                self._let_go(each)
        return self._more

    async def _recognise(self) -> None:
        while task := await self._next():
            await self._picture(*task)
        self._at_work -= 1
        self._news.set()

    async def _next(self) -> tuple[Unfinished, str] | None:
        async with self._taking:
            while (self._current and self._current.todo) or self._waiting:
                if not self._go_on():
                    self._more = True
                    return None
                if self._current and self._current.todo:
                    self._current.under_way += 1
                    return self._current, self._current.todo.pop(0)
                self._current = self._waiting.pop(0)
                await self._begin(self._current)
        return None

    async def _begin(self, each: Unfinished) -> None:
        """Begin a document, unless another run is working on it or has finished it."""
        lock = self._whole.records.folder / f"recognition-{each.content_hash[:16]}.lock"
        each.lock = await on_disk(acquire, lock)
        if each.lock:
            self._locked.append(each)
        if each.lock is None or not await self._pending(each):
            self._drop(each)
        self._note(each)

    async def _picture(self, each: Unfinished, place: str) -> None:
        try:
            if result := await self._recognise_place(each, place):
                await on_disk(self._whole.records.put, each.content_hash, place, result)
                log.debug("ingest.stage", stage="recognised", place=place)
                each.recognised.add(place)
                self._done += 1
            else:  # the file is gone or changed; the next run over the files handles it
                self._drop(each)
        except EndedFromOutside as reason:  # the picture remains pending
            log.warning("recognition.ended", place=place, reason=str(reason))
            self._total -= 1
        finally:
            each.under_way -= 1
        self._progress.recognised(self._done, self._total)
        self._note(each)

    async def _recognise_place(self, each: Unfinished, place: str) -> RecognitionResult | None:
        """Return the OCR result for a picture, which may be a failure, or None if the picture no longer exists."""
        for document in each.documents:
            result = await (self._of_page if _PAGE.fullmatch(place) else self._of_figure)(document, place)
            if result:
                return result
        return None

    async def _of_page(self, document: Document, place: str) -> RecognitionResult | None:
        path, content_hash = Path(document.source_path), document.content_hash
        try:
            return await self._whole.recogniser.recognise(path, place, content_hash=content_hash)
        except EndedFromOutside:
            raise
        except UnreadableDocument as reason:
            return _failure(document, place, reason)

    async def _of_figure(self, document: Document, place: str) -> RecognitionResult | None:
        try:
            picture = await self._whole.index.picture(f"{document.doc_id}-{place}", EVERYONE)
        except DocumentNotFound:
            return None
        try:
            return await self._whole.recogniser.recognise_picture(picture)
        except EndedFromOutside:
            raise
        except UnreadableDocument as reason:
            digest = hashlib.sha256(picture.data).hexdigest()
            return replace(_failure(document, place, reason), picture=digest)

    async def _pending(self, each: Unfinished) -> frozenset[str]:
        """Return the pages and figures that the index lists as pending. Documents whose content has changed are
        ignored."""
        documents = await self._whole.index.documents([document.doc_id for document in each.documents], EVERYONE)
        still = [document for document in documents.values() if document.content_hash == each.content_hash]
        return frozenset(place for document in still for place in document.pending)

    def _drop(self, each: Unfinished) -> None:
        """Skip the rest of a document in this round."""
        self._total -= len(each.todo)
        each.todo.clear()
        each.pending = frozenset()
        self._progress.recognised(self._done, self._total)

    def _note(self, each: Unfinished) -> None:
        """Queue a document for reading if enough of its pictures have been recognised since the last reading."""
        enough = max(self._whole.counts_when_read[each.content_hash], math.ceil(each.total / READINGS))
        if each.fresh and (each.is_done or each.fresh >= enough):
            if each not in self._due:
                self._due.append(each)
            self._news.set()
        elif each.is_done and each not in self._due:
            self._let_go(each)

    async def _keep_reading(self) -> None:
        while True:
            while self._due:
                due, self._due = [each for each in self._due if each.fresh], []
                if due:
                    await self._read(due)
            if not self._at_work:
                return
            await self._news.wait()
            self._news = anyio.Event()

    async def _read(self, due: Sequence[Unfinished]) -> None:
        await self._read_again([Path(document.source_path) for each in due for document in each.documents])
        for each in due:
            pending = await self._pending(each)
            if not each.pending:  # dropped in the meantime
                self._note(each)
                continue
            news = len(each.pending - pending)
            self._whole.counts_when_read[each.content_hash] += news
            each.pending = pending
            if not pending:
                self._drop(each)
                await on_disk(self._whole.records.forget, each.content_hash)
            elif not news:
                await self._once_more(each)
            self._note(each)

    def _let_go(self, each: Unfinished) -> None:
        if each in self._locked and each.lock:
            self._locked.remove(each)
            each.lock.release()
            Path(each.lock.lock_file).unlink(missing_ok=True)

    async def _once_more(self, each: Unfinished) -> None:
        """Handle a document whose pending pictures did not change when it was read again: its pictures differ from the
        recognised ones, or it could not be read."""
        self._whole.passes[each.content_hash] += 1
        if each.is_done:
            log.warning("recognition.pictures_left", doc_ids=[document.doc_id for document in each.documents])
            await on_disk(self._whole.records.forget, each.content_hash)
            self._more = self._more or self._whole.passes[each.content_hash] < MAX_PASSES
        self._drop(each)


def _failure(document: Document, place: str, reason: UnreadableDocument) -> RecognitionResult:
    log.warning("recognition.given_up", doc_id=document.doc_id, place=place, reason=str(reason))
    return RecognitionResult(failure=str(reason))


async def on_disk(work: Callable[..., T], *values: object) -> T:
    """Run file operations in a thread and return their result. Raises NotConfigured if the files next to the index
    cannot be written."""
    try:
        return await anyio.to_thread.run_sync(partial(work, *values))
    except OSError as problem:
        raise NotConfigured(f"The results of text recognition cannot be stored: {problem}.") from problem
