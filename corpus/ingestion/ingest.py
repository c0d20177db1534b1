"""Run an ingestion: find the files, check them all, run each through the pipeline, and report missing files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread
import structlog

from corpus.errors import UnreadableDocument
from corpus.index.protocol import WritableIndex
from corpus.ingestion.access_lists import AccessRules
from corpus.ingestion.build_document import NeighbourPictures, documents_that_show
from corpus.ingestion.file_decision import ExistingDocuments, Missing, missing
from corpus.ingestion.paths import absolute, require_existing
from corpus.ingestion.pipeline import DEFAULT_OPTIONS, FilePipeline, GivenUp, IngestOptions, Setup, check_options
from corpus.ingestion.report import Outcome, PageTally, Progress, Report, estimated_pages
from corpus.ingestion.walk import USUAL, Scope, Sources, sources_under
from corpus.readers.formats import COUNTED
from corpus.readers.protocol import Reading

log = structlog.get_logger()

__all__ = ["IngestOptions", "Ingestion", "Reading"]

PageCount = Callable[[Path], Awaitable[int]]

COUNT_SECONDS = 10.0
"""Maximum seconds to spend on opening one file to count its pages, including the start of a process. If that takes
longer, the pages are counted when the file is read."""


class Ingestion:
    """One run over one index. Up to `at_once` files are processed concurrently; the index accepts them one by one.

    `given_up` holds the mtime of each file that could not be read; with `IngestOptions.by_time`, such a file is skipped
    until its mtime changes. Runs in one process may share it. `page_count` counts a file's pages.
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
        options: IngestOptions = DEFAULT_OPTIONS,
        scope: Scope = USUAL,
        at_once: int = 1,
        given_up: GivenUp | None = None,
        page_count: PageCount | None = None,
    ) -> None:
        self._index = index
        self._readable = readable
        self._progress = progress
        self._checked = check_options(options, prefixed=index.prefixed)
        self._scope = scope
        self._at_once = anyio.Semaphore(at_once)
        self._page_count = page_count
        self._tally = PageTally(progress.pages)
        self._setup = Setup(
            index,
            reading,
            reader_version,
            reads_pictures,
            self._checked,
            scope.bounds.file_bytes,
            {} if given_up is None else given_up,
            self._tally,
        )
        self._outcomes: list[Outcome] = []

    async def run(self, paths: Sequence[Path], *, changed: Sequence[Path] | None = None) -> Report:
        """Ingest every readable file under the paths; with `changed`, only files at or below these paths.

        Raises InvalidRequest, before changing anything, if a path is missing or there are more files than the scope
        allows. Raises IbidError if the index fails.
        """
        documents = await self._index.all_documents()
        if changed is None:
            require_existing(paths, (document.source_path for document in documents))
        else:
            changed = [*changed, *documents_that_show(changed, documents)]
        sources = await self._sources(paths, changed)
        existing = await anyio.to_thread.run_sync(ExistingDocuments, documents)
        self._progress.file_total(len(sources.files))
        roots = list(map(absolute, paths))
        access_changed = await self._checked.apply(self._index, existing, roots)
        led_out = await self._files(sources, existing, roots)
        for folder, reason in sources.closed:
            self._end(Outcome("failed", folder, detail=reason))
        present = set(sources.files) - led_out
        await self._missing(partial(missing, existing.at, present, roots, changed, sources.within))
        await self._index.compact()
        outside = tuple(sorted({*sources.outside, *led_out}))
        return Report(tuple(self._outcomes), sources.passed_over, access_changed, outside)

    async def read_again(self, paths: Sequence[Path], places: Sequence[Path]) -> Report:
        """Reread the unchanged documents at `places`, because OCR has found more text in them. Other files get no
        outcome. Raises IbidError like `run`."""
        existing = await anyio.to_thread.run_sync(ExistingDocuments, await self._index.all_documents())
        again = [place for place in places if str(place) in existing.at]
        sources = await self._sources(paths, again)
        await self._files(sources, existing, list(map(absolute, paths)), again=frozenset(again))
        await self._index.compact()
        return Report(tuple(self._outcomes), Counter())

    async def _sources(self, paths: Sequence[Path], changed: Sequence[Path] | None) -> Sources:
        look = partial(sources_under, paths, self._readable, self._scope, changed=changed)
        return await anyio.to_thread.run_sync(look)

    async def _files(
        self,
        sources: Sources,
        existing: ExistingDocuments,
        roots: Sequence[Path],
        again: Collection[Path] = (),
    ) -> set[Path]:
        """Ingest the files and return those reached through links that lead outside the folders. All files are checked
        before any is read, because the content of a restricted file determines whether other files may be ingested."""
        checked = self._checked
        rules = AccessRules(
            existing.at.values(),
            await self._index.restricted(),
            allow=checked.allow,
            allow_new=checked.allow_new,
        )
        pictures = NeighbourPictures(roots, self._scope, existing, rules)
        files = FilePipeline(self._setup, existing, rules, pictures, sources.within, again)
        await self._each(files.look, sources.files)
        await files.learn_restricted()
        await self._expect(files)

        async def ingest(path: Path) -> None:
            pending = files.pending
            self._end(await files.outcome(path))
            if files.pending > pending:
                self._progress.recognised(0, files.pending)

        await self._each(ingest, [path for path in sources.files if not again or files.is_as_indexed(path)])
        async for outcome in files.withdrawn():
            self._end(outcome)
        return files.led_out

    async def _expect(self, files: FilePipeline) -> None:
        """Estimate the number of pages to read."""
        expected = {path: state for path, state in files.states.items() if files.will_read(path, state)}
        for path, state in expected.items():
            self._tally.expect(path, estimated_pages(path, state.size))
        if self._page_count:
            count = partial(self._count_pages, self._page_count)
            await self._each(count, [path for path in expected if path.suffix.lower() in COUNTED])

    async def _count_pages(self, page_count: PageCount, path: Path) -> None:
        with suppress(UnreadableDocument), anyio.move_on_after(COUNT_SECONDS):
            self._tally.expect(path, await page_count(path))

    async def _each(self, do: Callable[[Path], Awaitable[None]], paths: Sequence[Path]) -> None:
        async def run(path: Path) -> None:
            try:
                await do(path)
            finally:
                self._at_once.release()

        async with anyio.create_task_group() as group:
            for path in paths:
                await self._at_once.acquire()
                group.start_soon(run, path)

    async def _missing(self, look: Callable[[], Iterator[Missing]]) -> None:
        """Report documents whose files are missing, and remove them if the options request it."""
        options = self._checked.options
        for entry in await anyio.to_thread.run_sync(lambda: list(look())):
            removes = options.prune and (entry.why != "empty" or options.prune_empty)
            if removes:
                await self._index.remove(entry.document.doc_id)
            detail = "" if removes else entry.detail(pruned=options.prune)
            path, doc_id = Path(entry.document.source_path), entry.document.doc_id
            self._end(Outcome("removed" if removes else "missing", path, doc_id, detail))

    def _end(self, outcome: Outcome) -> None:
        pages = self._tally.end(outcome.path, is_read=outcome.kind in ("added", "replaced", "failed"))
        outcome = replace(outcome, pages=pages)
        self._outcomes.append(outcome)
        self._progress.file_done(outcome)
        tell = log.debug if outcome.kind == "unchanged" and not outcome.detail else log.info
        tell("ingest.file", outcome=outcome.kind, path=str(outcome.path), detail=outcome.detail)
