"""Run each file through four steps: decide, read, build and write. Every file gets an outcome.

A file is marked as done in the transaction that writes its blocks. The next run therefore continues where an
interrupted one stopped, and retries failed files.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import anyio.from_thread
import anyio.to_thread
import structlog

from corpus.access import PUBLIC
from corpus.documents.document import Document
from corpus.errors import DocumentNotFound, IbidError, UnreadableDocument
from corpus.index.protocol import WritableIndex
from corpus.ingestion.access_lists import AccessList, AccessRules, access_list
from corpus.ingestion.build_document import NeighbourPictures, document_and_blocks
from corpus.ingestion.file_decision import (
    ExistingDocuments,
    Fingerprint,
    Move,
    Read,
    Refuse,
    Skip,
    Touch,
    decide,
    fingerprint,
    is_current,
    looks_unchanged,
    pictures_look_unchanged,
    state_within,
)
from corpus.ingestion.paths import LeadsOut, Roots, is_under
from corpus.ingestion.report import Outcome, PageTally, grouped
from corpus.readers.pinned_file import FileState
from corpus.readers.protocol import PictureFiles, ReadDocument, Reading
from corpus.text.normalization import is_text


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """Options of an ingestion. None leaves the value of an existing document unchanged and uses the default for a new
    one.

    `allow` applies to every document under the paths, `allow_new` only to new documents. `prune` removes documents
    whose files have vanished, are excluded, or are reached through a link that leads outside the folders. `prune_empty`
    also removes the documents of a folder that is gone or empty. `by_time` treats a file as unchanged if its size and
    mtime are.
    """

    allow: tuple[str, ...] | None = None
    allow_new: tuple[str, ...] | None = None
    department: str | None = None
    document_type: str | None = None
    prune: bool = False
    prune_empty: bool = False
    by_time: bool = False


DEFAULT_OPTIONS = IngestOptions()


@dataclass(frozen=True, slots=True)
class CheckedOptions:
    """Options whose `allow` and `allow_new` have been checked and converted to access lists."""

    options: IngestOptions
    allow: AccessList | None
    allow_new: AccessList | None

    @property
    def keeps_access(self) -> bool:
        """Whether an existing document keeps its access list in the index."""
        return self.allow is None

    def applied_to(self, document: Document) -> Document:
        """Return the document with these options applied."""
        return replace(
            document,
            access_control_list=document.access_control_list if self.allow is None else self.allow,
            department=self.options.department or document.department,
            document_type=self.options.document_type or document.document_type,
        )

    async def apply(self, index: WritableIndex, existing: ExistingDocuments, roots: Sequence[Path]) -> int:
        """Apply the options to existing documents under the roots, and return how many access lists changed.

        This runs before any file is opened, because a more restrictive access list must apply even if the file can no
        longer be read. Raises IbidError if the index fails.
        """
        changed = 0
        for place, document in existing.at.items():
            updated = self.applied_to(document)
            if updated != document and any(is_under(Path(place), root) for root in roots):
                await index.update(updated, keep_access=self.keeps_access)
                existing.at[place] = updated
                changed += updated.access_control_list != document.access_control_list
        return changed


def check_options(options: IngestOptions, *, prefixed: bool) -> CheckedOptions:
    """Check the options. Raises InvalidRequest for a principal that could match nobody."""
    allow, new = options.allow, options.allow_new
    return CheckedOptions(
        options,
        None if allow is None else access_list(allow, prefixed=prefixed),
        None if new is None else access_list(new, prefixed=prefixed, option="RAG_DOCUMENTS_ALLOW"),
    )


log = structlog.get_logger()

GivenUp = dict[Path, tuple[int, str]]
"""Files that could not be read, with their mtime in nanoseconds and the reason."""

MAX_READS = 2
"""Maximum number of attempts to read a file that changes while it is being read."""


@dataclass(frozen=True, slots=True)
class Setup:
    """The components that process a run's files. `reads_pictures` is true if OCR is on; `max_bytes` is the maximum size
    of a file. See `Ingestion` for `given_up`."""

    index: WritableIndex
    reading: Reading
    reader_version: str
    reads_pictures: bool
    checked: CheckedOptions
    max_bytes: int
    given_up: GivenUp
    tally: PageTally


@dataclass
class FilePipeline:
    """The pipeline for the files of one run: check, decide, read, build, write.

    `states` contains the states of checked files, without a content hash if no decision depends on it. `still` contains
    the files with unchanged size and mtime. `pending` counts pictures that await OCR. `led_out` contains the files that
    turned out to be reached through a link that leads outside the folders.
    """

    setup: Setup
    existing: ExistingDocuments
    rules: AccessRules
    pictures: NeighbourPictures
    within: Roots
    again: Collection[Path] = ()
    states: dict[Path, Fingerprint] = field(default_factory=dict)
    still: set[Path] = field(default_factory=set)
    led_out: set[Path] = field(default_factory=set)
    pending: int = 0
    _done_paths: list[Path] = field(default_factory=list)
    _has_late_restriction: bool = False

    async def look(self, path: Path) -> None:
        """Record a file's state. The content is hashed only if a decision depends on it: a new size implies new
        content, and the reading process hashes the files that it reads."""
        before = self.existing.at.get(str(path))
        if before and await self._looks_unchanged(path, before):
            self.still.add(path)
            return
        with suppress(UnreadableDocument):  # reported when the file is ingested
            size, mtime_ns = (await self._state(path))[2:4]
            if self._needs_hash(path, before, size):
                self.states[path] = await self._hash(path)
            else:
                self.states[path] = Fingerprint("", size, mtime_ns)

    async def learn_restricted(self) -> None:
        """Record the current content of restricted files, including files outside this run, if another file has the
        same size."""
        sizes = Counter(state.size for state in self.states.values())
        for document in self.existing.restricted():
            path = Path(document.source_path)
            if path in self.still:
                continue
            state = self.states.get(path)
            if state is None or not state.content_hash:
                state = await self._restricted_state(path, document, sizes, own=state is not None)
            if state and state.content_hash:
                self.rules.learn(state.content_hash, document.access_control_list)

    def is_as_indexed(self, path: Path) -> bool:
        """Return whether the file had its indexed content when it was checked."""
        before, state = self.existing.at.get(str(path)), self.states.get(path)
        return before is not None and state is not None and before.content_hash == state.content_hash

    def will_read(self, path: Path, state: Fingerprint) -> bool:
        """Return whether a file is likely to be read, without accessing the disk."""
        before = self.existing.at.get(str(path))
        if before is None:
            is_new = not state.content_hash or not self.existing.may_have_moved(state.size)
        else:
            is_new = before.content_hash != state.content_hash or not self._is_current(before)
        return is_new and not self._refusal_of_before(path, state)

    async def outcome(self, path: Path) -> Outcome:
        """Ingest one file. Raises IbidError if the index is busy, full or damaged."""
        try:
            return await self._ingest(path)
        except UnreadableDocument as reason:
            self.led_out.update({path} if isinstance(reason, LeadsOut) else ())
            return Outcome("failed", path, detail=str(reason))
        except DocumentNotFound:
            return Outcome("failed", path, detail="removed from the index meanwhile; ingest it again")
        except IbidError:
            raise  # the file is not the cause
        except Exception as error:
            log.exception("ingest.crash", path=os.fspath(path))
            return Outcome("failed", path, detail=f"an internal error of Ibid ({type(error).__name__})")

    async def withdrawn(self) -> AsyncIterator[Outcome]:
        """Remove documents whose content turned out, later in the run, to be restricted, and yield a failed outcome for
        each."""
        for path in self._done_paths if self._has_late_restriction else ():
            document = self.existing.at[str(path)]
            if not self.rules.allows(document.access_control_list, document.content_hash):
                await self.setup.index.remove(document.doc_id)
                yield Outcome("failed", path, detail=await self._refusal(document.content_hash))

    async def _ingest(self, path: Path) -> Outcome:
        log.debug("ingest.stage", stage="reading", path=str(path))
        if not is_text(str(path)):
            raise UnreadableDocument("its name is not valid Unicode; rename it")
        before = self.existing.at.get(str(path))
        if before and path in self.still and self.pictures.may_still_show(before):
            return Outcome("unchanged", path, before.doc_id)
        now = self.states.get(path) or await self._hash(path)
        refused = bool(now.content_hash and self.rules.refuses(now.content_hash, before))
        decision = decide(
            now,
            before,
            moved=None if before else self.existing.take_moved(path, now.content_hash),
            is_current=before is not None
            and before.content_hash == now.content_hash
            and await self._is_up_to_date(before),
            refusal=self.rules.refusal(now.content_hash) if refused else None,
        )
        match decision:
            case Skip():
                return Outcome("unchanged", path, before.doc_id if before else None)
            case Touch():
                return await self._touch(path, before, now)
            case Move(document):
                return await self._move(document, path, now)
            case Refuse():
                raise UnreadableDocument(await self._refusal(now.content_hash))
            case Read():
                return await self._read_and_write(path, before, now)

    async def _read_and_write(self, path: Path, before: Document | None, now: Fingerprint) -> Outcome:
        if reason := self._refusal_of_before(path, now):
            raise UnreadableDocument(reason)
        access, withheld = self.rules.list_for(before), set[str]()

        async def refuse(pictures: PictureFiles) -> frozenset[str]:
            refused = await self.pictures.refused(access, pictures)
            withheld.update(refused)
            return refused

        read, state = await self._read(path, now, refuse)
        content_hash = state.content_hash
        if self.rules.refuses(content_hash, before):
            raise UnreadableDocument(await self._refusal(content_hash))
        return await self._write(path, read, state, before, access, withheld)

    async def _read(
        self, path: Path, now: Fingerprint, refuse: Callable[[PictureFiles], Awaitable[frozenset[str]]]
    ) -> tuple[ReadDocument, Fingerprint]:
        """Read a file, and read it again if it changes in the meantime. Return the document and the state of the file
        that was read. Raises UnreadableDocument."""
        for _ in range(MAX_READS):
            before = await self._state(path)
            try:
                read = await self.setup.reading.read(path, self.setup.tally.listener(path), refuse)
            except UnreadableDocument as reason:
                # If the file was only moved away and back, its mtime is the same and it can be read again.
                if await self._state(path) == before:
                    self.setup.given_up[path] = before.mtime_ns, str(reason)
                raise
            after = await self._state(path)
            if read.file is None or read.content_hash is None or read.file != after:
                # Some network drives report a new inode each time a file is opened, so compare the content.
                state = await self._hash(path)
                same = read.content_hash in (None, state.content_hash)
                is_read = same and (read.content_hash is not None or before == after)
            else:
                state, is_read = _fingerprint_of(read), bool(read.content_hash)
            if is_read:
                self.setup.given_up.pop(path, None)
                return read, state
        if read.file == before and read.content_hash:
            return read, _fingerprint_of(read)  # a file that changes constantly is ingested as it was when read
        raise UnreadableDocument("changed while it was read; ingest it again when it no longer changes")

    async def _write(
        self,
        path: Path,
        read: ReadDocument,
        state: Fingerprint,
        before: Document | None,
        access: AccessList,
        withheld: Collection[str],
    ) -> Outcome:
        """Write the document, its blocks and its fingerprint in one transaction."""
        options = self.setup.checked.options
        reads_pictures = self.setup.reads_pictures
        document, blocks = document_and_blocks(
            path,
            read,
            state,
            doc_id=before.doc_id if before else self.existing.id_for(path),
            reader_version=self.setup.reader_version,
            document_type=options.document_type or (before.document_type if before else None),
            department=options.department or (before.department if before else None),
            access=access,
        )
        document = replace(
            document,
            pending=read.pending if reads_pictures else (),
            unread=() if reads_pictures else read.pending,
            shown=self.pictures.stored_pictures(read.pictures),
            withheld=tuple(sorted(withheld)),
        )
        if before and before.content_hash != document.content_hash:
            await self._remember_restricted(before)
        await self.setup.index.replace(
            document, blocks, keep_access=self.setup.checked.keeps_access, only_known=bool(self.again)
        )
        self.existing.at[str(path)] = document
        self._has_late_restriction |= self.rules.learn(document.content_hash, access)
        self._done_paths.append(path)
        self.pending += len(document.pending)
        return Outcome(
            "replaced" if before else "added", path, document.doc_id, detail=" ".join(grouped(read.warnings))
        )

    async def _touch(self, path: Path, before: Document | None, now: Fingerprint) -> Outcome:
        if before is None:
            raise AssertionError("only an existing document can have another time")
        touched = replace(before, source_size=now.size, source_mtime_ns=now.mtime_ns)
        await self.setup.index.update(touched, keep_access=self.setup.checked.keeps_access)
        return Outcome("unchanged", path, before.doc_id)

    async def _move(self, document: Document, path: Path, now: Fingerprint) -> Outcome:
        moved = replace(
            self.setup.checked.applied_to(document),
            source_path=str(path),
            filename=path.name,
            source_size=now.size,
            source_mtime_ns=now.mtime_ns,
        )
        await self.setup.index.update(moved, keep_access=self.setup.checked.keeps_access)
        self.existing.at[str(path)] = moved
        return Outcome("unchanged", path, document.doc_id, detail=f"moved from {document.source_path}")

    async def _remember_restricted(self, before: Document) -> None:
        """Store the access list of a document's old content, because another file may already contain that content."""
        if PUBLIC not in before.access_control_list:
            await self.setup.index.restrict(before.content_hash, before.access_control_list)

    async def _refusal(self, content_hash: str) -> str:
        """Return the reason for refusing a file. Also store that its content is restricted, because the content of the
        restricted document may be different by the next run."""
        await self.setup.index.restrict(content_hash, self.rules.narrowest(content_hash) or ())
        return self.rules.refusal(content_hash)

    def _refusal_of_before(self, path: Path, now: Fingerprint) -> str | None:
        """Return why reading failed last time, or None if it did not fail or the mtime is different now. Always None
        unless the options trust the mtime."""
        mtime_ns, reason = self.setup.given_up.get(path, (None, ""))
        return reason if self.setup.checked.options.by_time and mtime_ns == now.mtime_ns else None

    def _needs_hash(self, path: Path, before: Document | None, size: int) -> bool:
        if before is None:
            return self.existing.may_have_moved(size)
        return path in self.again or (size == before.source_size and self._is_current(before))

    def _is_current(self, document: Document) -> bool:
        return is_current(document, self.setup.reader_version, reads_pictures=self.setup.reads_pictures)

    async def _is_up_to_date(self, before: Document) -> bool:
        """Return whether reading an unchanged file again would give the same document."""
        if Path(before.source_path) in self.again or not self._is_current(before):
            return False
        return await self.pictures.are_unchanged(before)

    async def _looks_unchanged(self, path: Path, before: Document) -> bool:
        """Return whether size and mtime indicate no change. Always False unless the options trust them."""
        trusts_time = self.setup.checked.options.by_time and path not in self.again and not before.withheld
        if not trusts_time or not self._is_current(before):
            return False
        look = lambda: looks_unchanged(path, before) and pictures_look_unchanged(before.shown)  # noqa: E731
        return await anyio.to_thread.run_sync(look)

    async def _restricted_state(
        self, path: Path, document: Document, sizes: Counter[int], *, own: bool
    ) -> Fingerprint | None:
        """Return the current state of a restricted file, if it appears to have changed and another file has the same
        size."""
        try:
            state = await anyio.to_thread.run_sync(path.stat)
            indexed = (document.source_size, document.source_mtime_ns)
            if sizes[state.st_size] <= own or (state.st_size, state.st_mtime_ns) == indexed:
                return None
            return await anyio.to_thread.run_sync(fingerprint, path)
        except (OSError, UnreadableDocument):
            return None

    async def _state(self, path: Path) -> FileState:
        look = partial(state_within, path, self.within, max_bytes=self.setup.max_bytes)
        return await anyio.to_thread.run_sync(look)

    async def _hash(self, path: Path) -> Fingerprint:
        """Hash a file's current content. Raises UnreadableDocument."""
        look = partial(
            fingerprint,
            path,
            self.within,
            max_bytes=self.setup.max_bytes,
            go_on=anyio.from_thread.check_cancelled,
        )
        return await anyio.to_thread.run_sync(look)


def _fingerprint_of(read: ReadDocument) -> Fingerprint:
    if read.file is None or read.content_hash is None:
        raise AssertionError("a reader that hashes a file returns its state")
    return Fingerprint(read.content_hash, read.file.size, read.file.mtime_ns)
