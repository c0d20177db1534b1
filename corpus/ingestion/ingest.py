"""One ingestion: find files, read what changed, put it into the index, say what became of each.

A file is recorded as done in the same transaction as its blocks, so that an interrupted run takes up where it
stopped and a failed file is tried again.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

import anyio
import anyio.to_thread
import structlog

from corpus.access import PUBLIC
from corpus.documents import Document
from corpus.errors import DocumentNotFound, IbidError, UnreadableDocument
from corpus.index.promise import WritableIndex
from corpus.ingestion.allowing import access_list
from corpus.ingestion.assembling import assembled
from corpus.ingestion.identity import is_gone, new_id
from corpus.ingestion.outcomes import Outcome, Progress, Report
from corpus.ingestion.sources import (
    Fingerprint,
    absolute,
    check_exist,
    fingerprint,
    is_under,
    sources_under,
)
from corpus.readers.promise import ReadDocument
from corpus.text import is_text

log = structlog.get_logger()


class Reading(Protocol):
    """`corpus.readers.reading.ReadingProcesses` is one."""

    async def read(self, path: Path) -> ReadDocument: ...


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the person asked for beside the paths; None leaves what a document has, or the default."""

    allow: tuple[str, ...] | None = None
    department: str | None = None
    document_type: str | None = None
    prune: bool = False


class Ingestion:
    """One run over one index. `at_once` files are read side by side; the index takes them one by one."""

    def __init__(
        self,
        index: WritableIndex,
        reading: Reading,
        *,
        readable: frozenset[str],
        reader_version: str,
        progress: Progress,
        wishes: Wishes = Wishes(),
        at_once: int = 1,
    ) -> None:
        self._index = index
        self._reading = reading
        self._readable = readable
        self._reader_version = reader_version
        self._progress = progress
        self._wishes = wishes
        self._places = anyio.Semaphore(at_once)
        self._allow = None if wishes.allow is None else access_list(wishes.allow, prefixed=index.prefixed)
        self._outcomes: list[Outcome] = []
        self._known: dict[str, Document] = {}
        self._gone: dict[str, Document] = {}
        self._ids: set[str] = set()
        self._lists: dict[str, tuple[str, ...]] = {}
        self._access_changed = 0

    async def run(self, paths: Sequence[Path]) -> Report:
        """Every readable file under the paths ends with an outcome. Raises InvalidRequest for a path that is not
        there, before anything is done."""
        documents = await self._index.all_documents()
        check_exist(paths, (document.source_path for document in documents))
        self._known = {document.source_path: document for document in documents if document.source_path}
        self._ids = {document.doc_id for document in documents}
        self._lists = _narrow_lists(documents)
        sources = await anyio.to_thread.run_sync(partial(sources_under, paths, self._readable))
        self._gone = await anyio.to_thread.run_sync(_gone, documents)
        self._progress.files_found(len(sources.files))
        await self._apply_wishes(paths)
        async with anyio.create_task_group() as group:
            for path in sources.files:
                await self._places.acquire()
                group.start_soon(self._file, path)
        for folder, reason in sources.closed:
            self._ended(Outcome("failed", folder, detail=reason))
        await self._missing(paths, set(sources.files))
        return Report(tuple(self._outcomes), sources.passed_over, self._access_changed)

    async def _apply_wishes(self, paths: Sequence[Path]) -> None:
        """Access first: a narrower list must hold even for a file that can no longer be read."""
        roots = [absolute(path) for path in paths]
        for place, document in self._known.items():
            wished = self._wished(document)
            if wished != document and any(is_under(Path(place), root) for root in roots):
                await self._index.update(wished, keep_access=self._allow is None)
                self._known[place] = wished
                self._access_changed += wished.access_control_list != document.access_control_list

    def _wished(self, document: Document) -> Document:
        return replace(
            document,
            access_control_list=document.access_control_list if self._allow is None else self._allow,
            department=self._wishes.department or document.department,
            document_type=self._wishes.document_type or document.document_type,
        )

    async def _file(self, path: Path) -> None:
        try:
            outcome = await self._taken_in(path)
        except UnreadableDocument as reason:
            outcome = Outcome("failed", path, detail=str(reason))
        except DocumentNotFound:
            outcome = Outcome("failed", path, detail="removed from the index meanwhile; ingest it again")
        except IbidError:
            raise  # not this file's fault: the index itself is busy, full or damaged
        except Exception as error:
            log.exception("ingest.crash", path=os.fspath(path))
            outcome = Outcome("failed", path, detail=f"an error of Ibid itself ({type(error).__name__})")
        finally:
            self._places.release()
        self._ended(outcome)

    async def _taken_in(self, path: Path) -> Outcome:
        log.debug("ingest.stage", stage="reading", path=str(path))
        if not is_text(str(path)):
            raise UnreadableDocument("its name is not valid Unicode; rename it")
        state = await anyio.to_thread.run_sync(fingerprint, path)
        before = self._known.get(str(path))
        if before is None and (moved := self._gone.get(state.content_hash)):
            return await self._moved(moved, path, state)
        if before and (before.content_hash, before.reader_version) == (
            state.content_hash,
            self._reader_version,
        ):
            return await self._unchanged(before, state)
        read = await self._reading.read(path)
        return await self._put(path, read, state, before)

    async def _put(
        self, path: Path, read: ReadDocument, state: Fingerprint, before: Document | None
    ) -> Outcome:
        doc_id = before.doc_id if before else new_id(path, self._ids)
        self._ids.add(doc_id)
        document, blocks = assembled(
            path,
            read,
            state,
            doc_id=doc_id,
            reader_version=self._reader_version,
            document_type=self._wishes.document_type or (before.document_type if before else None),
            department=self._wishes.department or (before.department if before else None),
            access=before.access_control_list if before else self._first_list(state),
        )
        await self._index.replace(document, blocks, keep_access=self._allow is None)
        return Outcome("replaced" if before else "added", path, doc_id, detail=" ".join(read.warnings))

    def _first_list(self, state: Fingerprint) -> tuple[str, ...]:
        """A copy of a document that not everybody may read is not for everybody either, unless so said."""
        if self._allow is not None:
            return self._allow
        return self._lists.get(state.content_hash, (PUBLIC,))

    async def _unchanged(self, before: Document, state: Fingerprint) -> Outcome:
        touched = replace(before, source_size=state.size, source_mtime_ns=state.mtime_ns)
        if touched != before:
            await self._index.update(touched, keep_access=self._allow is None)
        return Outcome("unchanged", Path(before.source_path), before.doc_id)

    async def _moved(self, before: Document, path: Path, state: Fingerprint) -> Outcome:
        self._gone.pop(before.content_hash, None)
        self._known.pop(before.source_path, None)
        place = replace(
            self._wished(before),
            source_path=str(path),
            filename=path.name,
            source_size=state.size,
            source_mtime_ns=state.mtime_ns,
        )
        await self._index.update(place, keep_access=self._allow is None)
        return Outcome("unchanged", path, before.doc_id, detail=f"moved from {before.source_path}")

    async def _missing(self, paths: Sequence[Path], present: set[Path]) -> None:
        """Documents under these paths whose files are no longer there: named, and removed only when asked."""
        roots = [absolute(path) for path in paths]
        for place, document in sorted(self._known.items()):
            path = Path(place)
            if path in present or not is_gone(document) or not any(is_under(path, root) for root in roots):
                continue
            if self._wishes.prune:
                await self._index.remove(document.doc_id)
            self._ended(Outcome("removed" if self._wishes.prune else "missing", path, document.doc_id))

    def _ended(self, outcome: Outcome) -> None:
        self._outcomes.append(outcome)
        self._progress.file_done(outcome)
        log.info("ingest.file", outcome=outcome.kind, path=str(outcome.path), detail=outcome.detail)


def _gone(documents: Sequence[Document]) -> dict[str, Document]:
    """Documents whose files are no longer at their places, by content: equal bytes elsewhere are their move, equal
    bytes of a file that is still there another document."""
    return {document.content_hash: document for document in documents if is_gone(document)}


def _narrow_lists(documents: Sequence[Document]) -> dict[str, tuple[str, ...]]:
    """Access lists of documents that not everybody may read, by content."""
    narrow = (one for one in documents if PUBLIC not in one.access_control_list)
    return {one.content_hash: one.access_control_list for one in narrow}
