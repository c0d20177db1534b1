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
from corpus.embedding.process_embedder import EmbeddingProcess
from corpus.embedding.protocol import Embedder
from corpus.index.protocol import WritableIndex
from corpus.ingestion.report import Progress, Silence
from corpus.processes.locks import acquire

log = structlog.get_logger()


EVERYONE = Caller(unfiltered=True)
"""The caller for ingestion, who may read every document."""

BATCH = 32
"""Number of passages per commit: an interruption loses at most one batch, which is a few seconds of work."""


class Embedding:
    """Embeds an index's pending passages for one run. If several runs are concurrent, the run that holds the lock in
    `folder` embeds for all of them.

    `elsewhere` is true if another run embeds the pending passages.
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
        """Embed and store the next batch. Return the number of vectors, or 0 if nothing is pending or another run is
        embedding. Raises IbidError."""
        try:
            count = await self._embed_batch()
            if not count and self._lock:
                self.close()
                # Another run may have added a passage after the last check, while this run still held the lock.
                count = await self._embed_batch() if await self._index.pending(1) else 0
        except BaseException:
            self.close()
            raise
        return count

    async def full_batch(self) -> int:
        """Call `batch` if a full batch is pending. Otherwise return 0, because more passages will arrive while files
        are being read."""
        return await self.batch() if len(await self._index.pending(BATCH)) == BATCH else 0

    async def is_here(self) -> bool:
        """Return whether this run embeds. Acquires the lock if it is free."""
        self.elsewhere = self._lock is None and not await anyio.to_thread.run_sync(self._take)
        return not self.elsewhere

    def close(self) -> None:
        """Release the lock."""
        if self._lock:
            self._lock.release()
            self._lock = None

    async def _embed_batch(self) -> int:
        if not await self.is_here():
            self._progress.vectors(0, 0)  # this process computes no vectors
            return 0
        total = await self._report()

        def listen(more: int) -> None:
            # The last vector counts only once it is stored.
            self._progress.vectors(min(self._done + more, total - 1), total)

        count = await embed_batch(self._index, self._embedder, listen)
        self._done += count
        if await self._report() == self._done:
            self._done = 0
        return count

    async def _report(self) -> int:
        """Report progress. Return the total of stored and pending vectors."""
        total = self._done + (await self._index.counts(EVERYONE)).without_vector
        self._progress.vectors(self._done, total)
        return total

    def _take(self) -> bool:
        try:
            self._lock = acquire(self._file)
        except OSError as problem:
            log.warning("ingest.no_lock", problem=str(problem))
            return True  # it is better to embed twice than not at all
        return self._lock is not None


async def embed_pending(index: WritableIndex, embedder: Embedder, progress: Progress, total: int) -> int:
    """Embed and store batches until nothing is pending. Return the number of stored vectors. Raises IbidError.

    `total` is the number of passages pending at the start, and is used only to report progress.
    """
    done = 0
    progress.vectors(0, total)
    while count := await embed_batch(index, embedder):
        done += count
        progress.vectors(done, max(total, done))
    return done


async def embed_batch(index: WritableIndex, embedder: Embedder, listener: Callable[[int], None] | None = None) -> int:
    """Embed and store the next batch. Return the number of vectors, or 0 if nothing is pending. Raises IbidError.

    The listener receives the number of vectors that are computed but not stored yet, if the embedder reports it.
    """
    batch = await index.pending(BATCH)
    if batch:
        log.debug("ingest.stage", stage="embedding", passages=len(batch))
        texts = [passage.text for passage in batch]
        if isinstance(embedder, EmbeddingProcess):
            vectors = await embedder.passages(texts, listener)
        else:
            vectors = await embedder.passages(texts)
        await index.store_vectors([passage.block_id for passage in batch], vectors)
    return len(batch)


T = TypeVar("T")


class BackgroundEmbedding:
    """Embeds full batches while files are read. Call `look` after each file.

    The last partial batch and any failed batch are embedded after reading.
    """

    def __init__(self, embedding: Embedding) -> None:
        self._embedding = embedding
        self._more = anyio.Event()
        self._ends = False

    async def during(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run `work` and return its result or raise its exception. If a batch is still running when `work` ends, finish
        it first."""
        failure: Exception | None = None
        async with anyio.create_task_group() as group:
            group.start_soon(self._embed)
            try:
                result = await work()
            except Exception as problem:  # raise it directly, not as a group
                failure = problem
            self._ends = True
            self._more.set()
        if failure:
            raise failure
        return result

    def look(self) -> None:
        """Wake the embedder, because there may be new passages to embed."""
        self._more.set()

    async def _embed(self) -> None:
        try:
            while not self._ends:
                await self._more.wait()
                self._more = anyio.Event()
                while not self._ends and await self._embedding.full_batch():
                    pass
        except Exception as problem:  # it must not make a file fail; the embedding after reading reports it again
            log.warning("ingest.vectors_later", problem=str(problem))
