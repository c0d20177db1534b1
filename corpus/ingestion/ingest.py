"""One ingestion: find files, take in what changed, say what became of each.

A file is recorded as done in the same transaction as its blocks, so that an interrupted run takes up where it
stopped and a failed file is tried again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread
import structlog

from corpus.errors import UnreadableDocument
from corpus.index.protocol import WritableIndex
from corpus.ingestion.attempts import Attempts, GivenUp
from corpus.ingestion.fingerprints import Fingerprint
from corpus.ingestion.in_force import in_force
from corpus.ingestion.known import Known
from corpus.ingestion.looking import Looking
from corpus.ingestion.missing import Missing, missing
from corpus.ingestion.narrowing import Narrowing
from corpus.ingestion.outcomes import Outcome, Progress, Report
from corpus.ingestion.pages import PageTally, estimated_pages
from corpus.ingestion.pictures import PicturesBeside, that_show
from corpus.ingestion.places import absolute, check_exist
from corpus.ingestion.putting import Putting
from corpus.ingestion.sources import USUAL, Scope, Sources, sources_under
from corpus.ingestion.taking_in import TakingIn
from corpus.ingestion.versions import is_current
from corpus.ingestion.wishes import NO_WISHES, Wishes
from corpus.readers.page_counts import COUNTED
from corpus.readers.protocol import Reading

log = structlog.get_logger()

__all__ = ["Ingestion", "Reading", "Wishes"]

PageCount = Callable[[Path], Awaitable[int]]

COUNT_SECONDS = 10.0
"""For opening one file, with the start of a process. One that takes longer is counted when it is read."""


class Ingestion:
    """One run over one index. At most `at_once` files are between their reading and the index, which takes them one by
    one.

    `given_up` holds the files whose reading failed and the time they were of; where Wishes.by_time holds they are not
    read again while they are of it. Runs of one process may share it. `page_count` opens a file and counts its pages.
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
        given_up: GivenUp | None = None,
        page_count: PageCount | None = None,
    ) -> None:
        self._index = index
        self._reading = reading
        self._readable = readable
        self._reader_version = reader_version
        self._reads_pictures = reads_pictures
        self._progress = progress
        self._wished = in_force(wishes, prefixed=index.prefixed)
        self._scope = scope
        self._places = anyio.Semaphore(at_once)
        self._given_up = {} if given_up is None else given_up
        self._page_count = page_count
        self._tally = PageTally(progress.pages)
        self._outcomes: list[Outcome] = []

    async def run(self, paths: Sequence[Path], *, changed: Sequence[Path] | None = None) -> Report:
        """Every readable file under the paths ends with an outcome; with `changed`, every one at these places under
        them. Raises InvalidRequest for a path that is not there and for more than the scope allows, before anything is
        done."""
        documents = await self._index.all_documents()
        if changed is None:
            check_exist(paths, (document.source_path for document in documents))
        else:
            changed = [*changed, *that_show(changed, documents)]
        look = partial(sources_under, paths, self._readable, self._scope, changed=changed)
        sources = await anyio.to_thread.run_sync(look)
        known = await anyio.to_thread.run_sync(Known, documents)
        self._progress.files_found(len(sources.files))
        roots = list(map(absolute, paths))
        access_changed = await self._wished.apply(self._index, known, roots)
        led_out = await self._files(sources, known, roots)
        for folder, reason in sources.closed:
            self._ended(Outcome("failed", folder, detail=reason))
        present = set(sources.files) - led_out
        await self._missing(partial(missing, known.at, present, roots, changed, sources.within))
        await self._index.compact()
        outside = tuple(sorted({*sources.outside, *led_out}))
        return Report(tuple(self._outcomes), sources.passed_over, access_changed, outside)

    async def read_again(self, paths: Sequence[Path], places: Sequence[Path]) -> Report:
        """The documents at these places under the paths, for there is more to read in them: an unchanged file of one
        that the index holds. All others are passed over, and have no outcome. Raises IbidError as `run`."""
        documents = await self._index.all_documents()
        known = await anyio.to_thread.run_sync(Known, documents)
        again = [place for place in places if str(place) in known.at]
        look = partial(sources_under, paths, self._readable, self._scope, changed=again)
        sources = await anyio.to_thread.run_sync(look)
        await self._files(sources, known, list(map(absolute, paths)), again=frozenset(again))
        await self._index.compact()
        return Report(tuple(self._outcomes), Counter())

    async def _files(
        self, sources: Sources, known: Known, roots: Sequence[Path], again: Collection[Path] = ()
    ) -> set[Path]:
        """All are looked at before one is read, since who may read one depends on what others hold. Those that lead
        out."""
        wished = self._wished
        looking = Looking(
            known,
            partial(is_current, reader_version=self._reader_version, reads_pictures=self._reads_pictures),
            wished.wishes.by_time,
            sources.within,
            self._scope.bounds.file_bytes,
            again,
        )
        await self._each(looking.look, sources.files)
        files = [path for path in sources.files if not again or looking.is_as_indexed(path)]
        narrowing = Narrowing(self._index, known, wished.allow, wished.allow_new)
        pictures = PicturesBeside(roots, self._scope, narrowing)
        putting = Putting(
            self._index,
            known,
            wished,
            narrowing,
            pictures,
            self._reader_version,
            reads_pictures=self._reads_pictures,
            again=bool(again),
        )
        attempts = Attempts(self._reading, looking, self._given_up, self._tally)
        taking_in = TakingIn(looking, attempts, putting, narrowing, pictures)

        async def file(path: Path) -> None:
            pending = putting.pending
            self._ended(await taking_in.file(path))
            if putting.pending > pending:
                self._progress.recognised(0, putting.pending)

        narrowed = await narrowing.look(looking.states, looking.still)
        await self._expect(
            {path: state for path, state in looking.states.items() if taking_in.reads(path, state)}
        )
        # First the restricted content in a new place: if the run is cut short, its old place still holds it.
        await self._each(file, [path for path in files if path in narrowed])
        await self._each(file, [path for path in files if path not in narrowed])
        await narrowing.settle(putting.taken)
        return taking_in.led_out

    async def _expect(self, states: Mapping[Path, Fingerprint]) -> None:
        """How much there is to read."""
        for path, state in states.items():
            self._tally.expect(path, estimated_pages(path, state.size))
        if self._page_count:
            count = partial(self._count_pages, self._page_count)
            await self._each(count, [path for path in states if path.suffix.lower() in COUNTED])

    async def _count_pages(self, page_count: PageCount, path: Path) -> None:
        with suppress(UnreadableDocument), anyio.move_on_after(COUNT_SECONDS):
            self._tally.expect(path, await page_count(path))

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

    async def _missing(self, look: Callable[[], Iterator[Missing]]) -> None:
        """Documents under these paths that no file stands for: named, and removed only when asked."""
        wishes = self._wished.wishes
        for one in await anyio.to_thread.run_sync(lambda: list(look())):
            removes = wishes.prune and (one.why != "empty" or wishes.prune_empty)
            if removes:
                await self._index.remove(one.document.doc_id)
            detail = "" if removes else one.told(pruned=wishes.prune)
            path, doc_id = Path(one.document.source_path), one.document.doc_id
            self._ended(Outcome("removed" if removes else "missing", path, doc_id, detail))

    def _ended(self, outcome: Outcome) -> None:
        pages = self._tally.end(outcome.path, is_read=outcome.kind in ("added", "replaced", "failed"))
        outcome = replace(outcome, pages=pages)
        self._outcomes.append(outcome)
        self._progress.file_done(outcome)
        tell = log.debug if outcome.kind == "unchanged" and not outcome.detail else log.info
        tell("ingest.file", outcome=outcome.kind, path=str(outcome.path), detail=outcome.detail)
