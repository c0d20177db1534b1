"""One ingestion: find files, read what changed, put it into the index, say what became of each.

A file is recorded as done in the same transaction as its blocks, so that an interrupted run takes up where it
stopped and a failed file is tried again.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import anyio
import anyio.from_thread
import anyio.to_thread
import structlog

from corpus.documents import Document
from corpus.errors import DocumentNotFound, IbidError, UnreadableDocument
from corpus.index.promise import WritableIndex
from corpus.ingestion.allowing import access_list
from corpus.ingestion.assembling import assembled
from corpus.ingestion.fingerprints import Fingerprint, fingerprint, looks_unchanged
from corpus.ingestion.known import Known
from corpus.ingestion.missing import Missing, missing
from corpus.ingestion.narrowing import Narrowing
from corpus.ingestion.opening import LeadsOut, Roots
from corpus.ingestion.outcomes import Outcome, Progress, Report
from corpus.ingestion.pictures import PicturesBeside
from corpus.ingestion.places import absolute, check_exist, is_under
from corpus.ingestion.sources import USUAL, Scope, sources_under
from corpus.ingestion.versions import current_versions, is_current, shown_by, version_read, withheld_from
from corpus.ingestion.wishes import NO_WISHES, Wishes
from corpus.readers.promise import ReadDocument, Reading
from corpus.readers.showing import refuse
from corpus.text import is_text

log = structlog.get_logger()

__all__ = ["Ingestion", "Reading", "Wishes"]

TIMES_READ = 2
"""How often a file that changes while it is read is read before it is given up."""


class Ingestion:
    """One run over one index. `at_once` files are read side by side; the index takes them one by one.

    `given_up` holds the files whose reading failed and the time they were of; where Wishes.by_time holds they are not
    read again while they are of it. Runs of one process may share it.
    """

    def __init__(
        self,
        index: WritableIndex,
        reading: Reading,
        *,
        readable: frozenset[str],
        reader_version: str,
        reads_pictures: bool = False,
        progress: Progress,
        wishes: Wishes = NO_WISHES,
        scope: Scope = USUAL,
        at_once: int = 1,
        given_up: dict[Path, tuple[int, str]] | None = None,
    ) -> None:
        self._index = index
        self._reading = reading
        self._readable = readable
        self._reader_version = reader_version
        self._current = current_versions(reader_version, reads_pictures=reads_pictures)
        self._progress = progress
        self._wishes = wishes
        self._scope = scope
        self._places = anyio.Semaphore(at_once)
        self._given_up = {} if given_up is None else given_up
        self._allow, self._allow_new = _lists(wishes, prefixed=index.prefixed)
        self._outcomes: list[Outcome] = []
        self._known = Known(())
        self._narrowing = Narrowing(index, self._known)
        self._states: dict[Path, Fingerprint] = {}
        self._still: set[Path] = set()
        self._taken: list[Path] = []
        self._within: Roots = None
        self._pictures = PicturesBeside((), scope, self._narrowing)
        self._led_out: set[Path] = set()
        self._access_changed = 0

    async def run(self, paths: Sequence[Path], *, changed: Sequence[Path] | None = None) -> Report:
        """Every readable file under the paths ends with an outcome; with `changed`, every one at these places under
        them. Raises InvalidRequest for a path that is not there and for more than the scope allows, before anything is
        done."""
        documents = await self._index.all_documents()
        if changed is None:
            check_exist(paths, (document.source_path for document in documents))
        else:
            changed = [*changed, *_that_show(changed, documents)]
        look = partial(sources_under, paths, self._readable, self._scope, changed=changed)
        sources = await anyio.to_thread.run_sync(look)
        self._within = sources.within
        self._known = await anyio.to_thread.run_sync(Known, documents)
        self._progress.files_found(len(sources.files))
        await self._apply_wishes(paths)
        await self._files(sources.files, list(map(absolute, paths)))
        for folder, reason in sources.closed:
            self._ended(Outcome("failed", folder, detail=reason))
        await self._missing(paths, set(sources.files) - self._led_out, changed)
        outside = tuple(sorted({*sources.outside, *self._led_out}))
        return Report(tuple(self._outcomes), sources.passed_over, self._access_changed, outside)

    async def _apply_wishes(self, paths: Sequence[Path]) -> None:
        """Access first: a narrower list must hold even for a file that can no longer be read."""
        roots = [absolute(path) for path in paths]
        for place, document in self._known.at.items():
            wished = self._wished(document)
            if wished != document and any(is_under(Path(place), root) for root in roots):
                await self._index.update(wished, keep_access=self._allow is None)
                self._known.at[place] = wished
                self._access_changed += wished.access_control_list != document.access_control_list

    def _wished(self, document: Document) -> Document:
        return replace(
            document,
            access_control_list=document.access_control_list if self._allow is None else self._allow,
            department=self._wishes.department or document.department,
            document_type=self._wishes.document_type or document.document_type,
        )

    async def _files(self, paths: Sequence[Path], roots: Sequence[Path]) -> None:
        """All are looked at before one is read, since who may read one depends on what others hold."""
        await self._each(self._look, paths)
        self._narrowing = Narrowing(self._index, self._known, self._allow, self._allow_new)
        self._pictures = PicturesBeside(roots, self._scope, self._narrowing)
        narrowed = await self._narrowing.look(self._states, self._still)
        # First the restricted content in a new place: if the run is cut short, its old place still holds it.
        await self._each(self._file, [path for path in paths if path in narrowed])
        await self._each(self._file, [path for path in paths if path not in narrowed])
        await self._narrowing.settle(self._taken)

    async def _each(self, do: Callable[[Path], Awaitable[None]], paths: Sequence[Path]) -> None:
        async def one(path: Path) -> None:
            try:
                await do(path)
            finally:
                self._places.release()

        async with anyio.create_task_group() as group:
            for path in paths:
                await self._places.acquire()
                group.start_soon(one, path)

    async def _look(self, path: Path) -> None:
        before = self._known.at.get(str(path))
        if before and await self._stands_still(path, before):
            self._still.add(path)
        else:
            with suppress(UnreadableDocument):  # told when its turn comes
                self._states[path] = await self._fingerprint(path)

    async def _fingerprint(self, path: Path) -> Fingerprint:
        look = partial(
            fingerprint,
            path,
            self._within,
            most_bytes=self._scope.bounds.file_bytes,
            go_on=anyio.from_thread.check_cancelled,
        )
        return await anyio.to_thread.run_sync(look)

    async def _file(self, path: Path) -> None:
        try:
            outcome = await self._taken_in(path)
        except UnreadableDocument as reason:
            self._led_out |= {path} if isinstance(reason, LeadsOut) else set()
            outcome = Outcome("failed", path, detail=str(reason))
        except DocumentNotFound:
            outcome = Outcome("failed", path, detail="removed from the index meanwhile; ingest it again")
        except IbidError:
            raise  # not this file's fault: the index itself is busy, full or damaged
        except Exception as error:
            log.exception("ingest.crash", path=os.fspath(path))
            outcome = Outcome("failed", path, detail=f"an error of Ibid itself ({type(error).__name__})")
        self._ended(outcome)

    async def _taken_in(self, path: Path) -> Outcome:
        log.debug("ingest.stage", stage="reading", path=str(path))
        if not is_text(str(path)):
            raise UnreadableDocument("its name is not valid Unicode; rename it")
        before = self._known.at.get(str(path))
        if before and path in self._still and self._may_still_show(before):
            return Outcome("unchanged", path, before.doc_id)
        state = self._states.get(path)
        if state is None:
            state = await self._fingerprint(path)
        if before is None and (moved := self._known.moved_to(path, state.content_hash)):
            return await self._moved(moved, path, state)
        if before and before.content_hash == state.content_hash and await self._stands(before):
            return await self._unchanged(before, state)
        self._refuse_again(path, state)
        access = self._narrowing.list_for(state.content_hash, before)
        refuse.set(partial(self._pictures.refused_to, path, access))
        read, state = await self._read(path, state)
        return await self._put(path, read, state, before)

    async def _stands_still(self, path: Path, before: Document) -> bool:
        if not self._wishes.by_time or not is_current(before.reader_version, self._current):
            return False
        if withheld_from(before.reader_version):
            return False
        shown = shown_by(before.reader_version)
        look = lambda: looks_unchanged(path, before) and self._pictures.look_unchanged(shown)  # noqa: E731
        return await anyio.to_thread.run_sync(look)

    async def _stands(self, before: Document) -> bool:
        """Whether a document whose file did not change would be read as it was."""
        if not is_current(before.reader_version, self._current):
            return False
        access = before.access_control_list
        withheld = withheld_from(before.reader_version)
        if withheld and await self._pictures.can_come_back(access, withheld):
            return False
        shown = shown_by(before.reader_version)
        return not shown or await self._pictures.stand(access, shown)

    def _may_still_show(self, before: Document) -> bool:
        access = before.access_control_list
        shown = shown_by(before.reader_version)
        return all(self._pictures.may_read(access, path, digest) for path, digest, *_ in shown)

    def _refuse_again(self, path: Path, state: Fingerprint) -> None:
        mtime_ns, reason = self._given_up.get(path, (None, ""))
        if self._wishes.by_time and mtime_ns == state.mtime_ns:
            raise UnreadableDocument(reason)

    async def _read(self, path: Path, state: Fingerprint) -> tuple[ReadDocument, Fingerprint]:
        """What a reader gave, and the state of the file that it is of."""
        for _ in range(TIMES_READ):
            try:
                read = await self._reading.read(path)
            except UnreadableDocument as reason:
                self._given_up[path] = state.mtime_ns, str(reason)
                raise
            after = await self._fingerprint(path)
            if read.content_hash in (None, state.content_hash) and after.content_hash == state.content_hash:
                self._given_up.pop(path, None)
                return read, after
            of, state = state, after
        if read.content_hash == of.content_hash:
            return read, of  # what never rests is taken in as it was at one moment
        raise UnreadableDocument("changed while it was read; ingest it again when it stands still")

    async def _put(
        self, path: Path, read: ReadDocument, state: Fingerprint, before: Document | None
    ) -> Outcome:
        doc_id = before.doc_id if before else self._known.id_for(path)
        access = self._narrowing.list_for(state.content_hash, before)
        said = self._narrowing.said(path, access, before)
        if before and access != before.access_control_list:
            await self._narrowing.narrow(path, before, state.content_hash)
        document, blocks = assembled(
            path,
            read,
            state,
            doc_id=doc_id,
            reader_version=self._version(path, read),
            document_type=self._wishes.document_type or (before.document_type if before else None),
            department=self._wishes.department or (before.department if before else None),
            access=access,
        )
        await self._index.replace(document, blocks, keep_access=self._allow is None)
        self._narrowing.taken_in(path, document)
        self._taken.append(path)
        detail = " ".join([*([said] if said else ()), *read.warnings])
        return Outcome("replaced" if before else "added", path, doc_id, detail=detail)

    def _version(self, path: Path, read: ReadDocument) -> str:
        shown, withheld = self._pictures.shown(read.pictures), self._pictures.withheld(path)
        return version_read(self._reader_version, read, shown, tuple(withheld))

    async def _unchanged(self, before: Document, state: Fingerprint) -> Outcome:
        touched = replace(before, source_size=state.size, source_mtime_ns=state.mtime_ns)
        if touched != before:
            await self._index.update(touched, keep_access=self._allow is None)
        return Outcome("unchanged", Path(before.source_path), before.doc_id)

    async def _moved(self, before: Document, path: Path, state: Fingerprint) -> Outcome:
        place = replace(
            self._wished(before),
            source_path=str(path),
            filename=path.name,
            source_size=state.size,
            source_mtime_ns=state.mtime_ns,
        )
        await self._index.update(place, keep_access=self._allow is None)
        return Outcome("unchanged", path, before.doc_id, detail=f"moved from {before.source_path}")

    async def _missing(
        self, paths: Sequence[Path], present: set[Path], changed: Sequence[Path] | None
    ) -> None:
        """Documents under these paths that no file stands for: named, and removed only when asked."""
        roots = [absolute(path) for path in paths]
        look = partial(missing, self._known.at, present, roots, changed, self._within)
        for one in await anyio.to_thread.run_sync(lambda: list(look())):
            removes = self._wishes.prune and (one.why != "empty" or self._wishes.prune_empty)
            if removes:
                await self._index.remove(one.document.doc_id)
            detail = "" if removes else _told(one, pruned=self._wishes.prune)
            path, doc_id = Path(one.document.source_path), one.document.doc_id
            self._ended(Outcome("removed" if removes else "missing", path, doc_id, detail))

    def _ended(self, outcome: Outcome) -> None:
        self._outcomes.append(outcome)
        self._progress.file_done(outcome)
        tell = log.debug if outcome.kind == "unchanged" and not outcome.detail else log.info
        tell("ingest.file", outcome=outcome.kind, path=str(outcome.path), detail=outcome.detail)


def _that_show(changed: Sequence[Path], documents: Sequence[Document]) -> list[Path]:
    """The places of documents that show a picture at one of these places."""
    return [
        Path(document.source_path)
        for document in documents
        if any(is_under(Path(path), one) for path in _beside(document.reader_version) for one in changed)
    ]


def _beside(version: str) -> tuple[str, ...]:
    return (*(path for path, *_ in shown_by(version)), *withheld_from(version))


def _lists(wishes: Wishes, *, prefixed: bool) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    """Raises InvalidRequest for a principal that could match nobody."""
    allow = None if wishes.allow is None else access_list(wishes.allow, prefixed=prefixed)
    new = wishes.allow_new
    named = "RAG_DOCUMENTS_ALLOW"
    return allow, None if new is None else access_list(new, prefixed=prefixed, named=named)


def _told(one: Missing, *, pruned: bool) -> str:
    if one.why == "left out":
        return "left out by .ibidignore, and still in the index"
    if one.why == "leads out":
        return "a link there leads out of the folders now, and it is still in the index"
    if one.why == "empty":
        kept = "; kept, --prune-empty removes it" if pruned else ""
        return f"{one.folder} is empty or gone, as a drive that is not connected{kept}"
    return ""
