"""Keeping an index up with folders: a first run over all of it, then what changes, and vectors in between."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Protocol

import anyio
import anyio.to_thread
import structlog

from corpus.errors import IbidError
from corpus.ingestion.settling import Settling
from corpus.ingestion.watching import Watch

log = structlog.get_logger()

TICK_SECONDS = 0.25
AGAIN_SECONDS = 600.0
"""How often all is looked through: other machines' changes on a network drive are told to nobody."""
AFTER_FAILURE_SECONDS = 30.0


class Keeper(Protocol):
    """What is done with what changed."""

    async def take_in(self, changed: Sequence[Path] | None) -> None:
        """All of the roots, or what lies at these places under them. Raises IbidError."""

    async def embed(self) -> bool:
        """A few of the vectors still to come; False where there are none. Raises IbidError."""


async def keep_up(roots: Sequence[Path], keeper: Keeper, settling: Settling | None = None) -> None:
    """Until it is cancelled. Raises IbidError where the first run does; later ones are tried again."""
    settling = settling or Settling()
    watch = Watch(roots, settling.touch)
    failure: IbidError | None = None
    async with anyio.create_task_group() as group:
        group.start_soon(watch.run)
        await watch.ready.wait()
        try:
            await keeper.take_in(None)
            await _Round(keeper, settling).go_on()
        except IbidError as problem:
            failure = problem
            group.cancel_scope.cancel()
    if failure:
        raise failure


class _Round:
    def __init__(self, keeper: Keeper, settling: Settling) -> None:
        self._keeper = keeper
        self._settling = settling
        self._all_again = monotonic() + AGAIN_SECONDS
        self._embeds_again = 0.0

    async def go_on(self) -> None:
        while True:
            changed = await anyio.to_thread.run_sync(self._settling.settled)
            if monotonic() >= self._all_again:
                await self._take_in(None)
            elif changed:
                await self._take_in(changed)
            elif not await self._embed():
                await anyio.sleep(TICK_SECONDS)

    async def _take_in(self, changed: Sequence[Path] | None) -> None:
        try:
            await self._keeper.take_in(changed)
        except IbidError as problem:
            log.warning("ingest.again_later", problem=str(problem))
            self._all_again = monotonic() + AFTER_FAILURE_SECONDS
            return
        if changed is None:
            self._all_again = monotonic() + AGAIN_SECONDS
        self._embeds_again = 0.0

    async def _embed(self) -> bool:
        if monotonic() < self._embeds_again:
            return False
        try:
            more = await self._keeper.embed()
        except IbidError as problem:
            log.warning("ingest.vectors_later", problem=str(problem))
            more = False
        if not more:
            self._embeds_again = monotonic() + AFTER_FAILURE_SECONDS
        return more
