"""Keep the index in sync with folders: read all files first, then changed files, and log the progress."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread

from corpus.index.protocol import WritableIndex
from corpus.ingestion.background_embedding import BackgroundEmbedding, Embedding
from corpus.ingestion.ingest import Ingestion, IngestOptions
from corpus.ingestion.paths import absolute, indexed_name, is_there
from corpus.ingestion.recognition_queue import RecognitionQueue
from corpus.ingestion.report import Progress, Report, Silence
from corpus.ingestion.run_log import RunLogProgress
from corpus.ingestion.walk import Bounds, Scope
from server.settings.model import Settings

if TYPE_CHECKING:
    from server.bootstrap import Workshop


class FolderKeeper:
    """A `corpus.ingestion.sync_loop.Keeper`. `on_report` receives each report, and `on_second_report` receives the
    reports on documents that were reread after OCR. With `lenient`, missing roots are ignored."""

    def __init__(
        self,
        place: Workshop,
        roots: Sequence[Path],
        recording: RunLogProgress,
        *,
        options: IngestOptions,
        scope: Scope,
        on_report: Callable[[Report], None],
        on_second_report: Callable[[Report], None] = lambda report: None,
        lenient: bool = False,
        vectors: bool = True,
    ) -> None:
        self._place = place
        self._roots = tuple(roots)
        self._recording = recording
        self._options = options
        self._scope = scope
        self._on_report, self._on_second_report = on_report, on_second_report
        self._lenient = lenient
        embedder = place.embedder if vectors else None
        self._embedding = Embedding(place.index, embedder, recording.folder, recording) if embedder else None
        self._recognising = (
            RecognitionQueue(
                place.index,
                place.reading,
                place.records,
                roots=self._roots,
                at_once=place.cores,
            )
            if place.records
            else None
        )
        self._given_up: dict[Path, tuple[int, str]] = {}

    async def take_in(self, changed: Sequence[Path] | None) -> None:
        """Ingest the `changed` files, or all files if None. Raise InvalidRequest if the files exceed the limits of a
        run, or if a root is missing and `lenient` is off."""
        roots = [root for root in self._roots if self._is_there(root)] if self._lenient else self._roots
        self._recording.troubles(f"There is no folder {root}." for root in self._roots if root not in roots)
        if self._embedding is None:
            return await self._take_in(roots, changed)
        beside = BackgroundEmbedding(self._embedding)
        self._recording.on_file_done = beside.look
        return await beside.during(partial(self._take_in, roots, changed))

    def _ingestion(self, progress: Progress) -> Ingestion:
        return Ingestion(
            self._place.index,
            self._place.reader,
            readable=self._place.readable,
            reader_version=self._place.reader_version,
            reads_pictures=self._place.records is not None,
            progress=progress,
            options=self._options,
            scope=self._scope,
            # Use one more than the number of reading processes, so that no process idles while the index is written.
            at_once=self._place.cores + 1,
            given_up=self._given_up,
            page_count=self._place.reading.page_count,
        )

    async def _take_in(self, roots: Sequence[Path], changed: Sequence[Path] | None) -> None:
        report = await self._ingestion(self._recording).run(roots, changed=changed)
        self._recording.settle(roots if changed is None else changed, (outcome.path for outcome in report.failed))
        # This process has now read or checked all files, so modification times are enough to find changes.
        self._options = replace(self._options, allow=None, allow_new=self._options.allow or self._options.allow_new,
                               by_time=True)  # fmt: skip
        self._lenient = True
        self._on_report(report)

    async def recognise(self, go_on: Callable[[], bool] = lambda: True) -> bool:
        """Run one round of OCR, as long as `go_on` returns True. Return False if there was nothing to do. Raise
        IbidError on failure."""
        if self._recognising is None:
            return False
        if self._embedding is None:
            return await self._recognising.round(self._read_again, self._recording, go_on)
        beside = BackgroundEmbedding(self._embedding)

        async def read_again(places: Sequence[Path]) -> None:
            await self._read_again(places)
            beside.look()

        return await beside.during(partial(self._recognising.round, read_again, self._recording, go_on))

    async def _read_again(self, places: Sequence[Path]) -> None:
        report = await self._ingestion(Silence()).read_again(self._roots, places)
        self._on_second_report(report)

    async def embed(self) -> bool:
        """Embed one batch of passages. Return False if no passage was left."""
        if self._embedding is None:
            return False
        made = await self._embedding.batch()
        if not made and self._place.embedder:
            await self._place.embedder.aclose()  # there may be nothing to embed for hours
        return bool(made)

    async def embeds_here(self) -> bool:
        """Return whether this process embeds passages. If it does not, either another process embeds them, including
        the passages ingested here, or embedding is off."""
        return self._embedding is not None and await self._embedding.is_here()

    def close(self) -> None:
        """Stop embedding. Other processes may embed the remaining passages."""
        if self._embedding:
            self._embedding.close()

    def _is_there(self, root: Path) -> bool:
        """Return whether the root exists, or is a deleted file in an existing folder."""
        is_file = root.suffix and root.suffix.lower() in self._place.readable
        return is_there(root) or bool(is_file and root.parent.is_dir())


async def known_roots(index: WritableIndex, roots: Iterable[Path]) -> tuple[Path, ...]:
    """Return the roots under the names that the index already uses for them; see `indexed_name`."""
    known = [document.source_path for document in await index.all_documents()]

    def names() -> tuple[Path, ...]:
        names_found = dict[Path, None]()
        for root in roots:
            name = indexed_name(absolute(root), known)
            known.append(str(name / "*" if name.is_dir() else name))  # recognise a second mention of this root
            names_found[name] = None
        return tuple(names_found)

    return await anyio.to_thread.run_sync(names)


def scope_of(settings: Settings, *, follow_links: bool = False) -> Scope:
    """Return the limits of a run, from the settings."""
    bounds = Bounds(settings.max_files, settings.max_gigabytes)
    return Scope(follow_links or settings.follow_links, bounds, settings.data_dir)
