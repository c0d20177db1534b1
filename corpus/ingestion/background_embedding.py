"""Embed passages that have no vector yet, during reading and after it."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import anyio
import anyio.to_thread
import structlog
from filelock import FileLock

from corpus.access import Caller
from corpus.embedding.embedding_process import EmbeddingProcess
from corpus.embedding.protocol import Embedder
from corpus.index.protocol import WritableIndex
from corpus.ingestion.progress import Outcome, Progress, Silence
from corpus.locks import taken

log = structlog.get_logger()


EVERYONE = Caller(unfiltered=True)

BATCH = 32
"""Passages between two commits: a few seconds of work, and never more than that is lost."""


class Embedding:
    """What one run embeds of an index in `folder`. Of all that run at a time one does it, for all of them.

    `elsewhere` tells that another one did at the last batch: what is pending is its work, also what came meanwhile.
    """

    def __init__(
        self, index: WritableIndex, embedder: Embedder, folder: Path, progress: Progress | None = None
    ) -> None:
        self._index, self._embedder = index, embedder
        self._progress = progress or Silence()
        self._done = 0
        name = hashlib.sha256(embedder.id.encode()).hexdigest()[:8]
        self._file = folder / f"embedding-{name}.lock"
        self._lock: FileLock | None = None
        self.elsewhere = False

    async def batch(self) -> int:
        """Embed and store the next few that are pending; how many, 0 where none is or another run does it."""
        try:
            made = await self._made()
            if not made and self._lock:
                self.close()
                # Whoever added a passage after the last look may have found the lock held and left it to this run.
                made = await self._made() if await self._index.pending(1) else 0
        except BaseException:
            self.close()
            raise
        return made

    async def full_batch(self) -> int:
        """The same where a whole batch is pending, else 0: while more is coming, a few are left to wait for it."""
        return await self.batch() if len(await self._index.pending(BATCH)) == BATCH else 0

    async def is_here(self) -> bool:
        """Whether it is this run that embeds; if nobody does, from now on."""
        self.elsewhere = self._lock is None and not await anyio.to_thread.run_sync(self._take)
        return not self.elsewhere

    def close(self) -> None:
        """Leave the rest to others."""
        if self._lock:
            self._lock.release()
            self._lock = None

    async def _made(self) -> int:
        if not await self.is_here():
            self._progress.vectors(0, 0)  # none is to be made here
            return 0
        total = await self._tell()

        def listen(more: int) -> None:
            # The last is done when it is stored, not before.
            self._progress.vectors(min(self._done + more, total - 1), total)

        made = await embed_batch(self._index, self._embedder, listen)
        self._done += made
        if await self._tell() == self._done:
            self._done = 0
        return made

    async def _tell(self) -> int:
        """How many have been made of how many that there are now, and that number."""
        total = self._done + (await self._index.counts(EVERYONE)).without_vector
        self._progress.vectors(self._done, total)
        return total

    def _take(self) -> bool:
        try:
            self._lock = taken(self._file)
        except OSError as problem:
            log.warning("ingest.no_lock", problem=str(problem))
            return True  # twice the work is better than none
        return self._lock is not None


async def embed_pending(index: WritableIndex, embedder: Embedder, progress: Progress, total: int) -> int:
    """Embed and store until nothing is pending; returns how many vectors were made.

    `total` is how many were pending at the start, for the progress alone.
    """
    done = 0
    progress.vectors(0, total)
    while made := await embed_batch(index, embedder):
        done += made
        progress.vectors(done, max(total, done))
    return done


async def embed_batch(
    index: WritableIndex, embedder: Embedder, listener: Callable[[int], None] | None = None
) -> int:
    """Embed and store the next few that are pending; how many, 0 where none is. The listener hears how many are made
    and not stored yet, from an embedder that says so."""
    batch = await index.pending(BATCH)
    if batch:
        log.debug("ingest.stage", stage="embedding", passages=len(batch))
        texts = [one.text for one in batch]
        if isinstance(embedder, EmbeddingProcess):
            vectors = await embedder.passages(texts, listener)
        else:
            vectors = await embedder.passages(texts)
        await index.store_vectors([one.block_id for one in batch], vectors)
    return len(batch)


T = TypeVar("T")


class BackgroundEmbedding:
    """A `Progress` that tells another one, and embeds what was taken in so far while the rest is read: full batches
    only. What is left, and what failed, is for whoever embeds when all is read."""

    def __init__(self, embedding: Embedding, progress: Progress) -> None:
        self._embedding = embedding
        self._progress = progress
        self._more = anyio.Event()
        self._ends = False

    async def during(self, work: Callable[[], Awaitable[T]]) -> T:
        """What the work gives or raises. A batch under way at its end is finished first."""
        failure: Exception | None = None
        async with anyio.create_task_group() as group:
            group.start_soon(self._embed)
            try:
                done = await work()
            except Exception as problem:  # as it is, not in the group's wrapping
                failure = problem
            self._ends = True
            self._more.set()
        if failure:
            raise failure
        return done

    def files_found(self, count: int) -> None:
        self._progress.files_found(count)

    def file_done(self, outcome: Outcome) -> None:
        self._progress.file_done(outcome)
        self.look()

    def look(self) -> None:
        """There may be passages to embed."""
        self._more.set()

    def pages(self, done: int, total: int) -> None:
        self._progress.pages(done, total)

    def recognised(self, done: int, total: int) -> None:
        self._progress.recognised(done, total)

    def vectors(self, done: int, total: int) -> None:
        self._progress.vectors(done, total)

    async def _embed(self) -> None:
        try:
            while not self._ends:
                await self._more.wait()
                self._more = anyio.Event()
                while not self._ends and await self._embedding.full_batch():
                    pass
        except (
            Exception
        ) as problem:  # it must not cost a file; whoever embeds afterwards meets it again, and tells
            log.warning("ingest.vectors_later", problem=str(problem))
