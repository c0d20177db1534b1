"""Vectors while files are still read: one long file keeps one core busy, and the others are there for its passages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
import structlog

from corpus.ingestion.outcomes import Outcome, Progress
from corpus.ingestion.vectors import Embedding

log = structlog.get_logger()

T = TypeVar("T")


class Beside:
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
