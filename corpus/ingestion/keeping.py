"""Keeping an index up with folders: a first run over all of it, then what changes, and in between pictures of text and
vectors."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
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
TURN_SECONDS = 10.0
"""Of text recognition in a folder in which something happens all the time: a few pages."""


class Keeper(Protocol):
    """What is done with what changed."""

    async def take_in(self, changed: Sequence[Path] | None) -> None:
        """All of the roots, or what lies at these places under them. Raises IbidError."""

    async def recognise(self, go_on: Callable[[], bool]) -> bool:
        """Pictures of text, until none is left or `go_on` says no; False in the first case. Raises IbidError."""

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
        self._recognise = _Later(lambda: keeper.recognise(self._quiet()))
        self._embed = _Later(keeper.embed)

    async def go_on(self) -> None:
        while True:
            changed = await anyio.to_thread.run_sync(self._settling.settled)
            if monotonic() >= self._all_again:
                await self._take_in(None)
            elif changed:
                await self._take_in(changed)
            elif not (await self._recognise.once() or await self._embed.once()):
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
        self._recognise.again = self._embed.again = 0.0

    def _quiet(self) -> Callable[[], bool]:
        """Until something happens in the folders; where it always does, for a while."""
        end = monotonic() + TURN_SECONDS
        return lambda: monotonic() < end or not self._settling.is_waiting


@dataclass
class _Later:
    """Work that is done a part at a time while no file waits; where there is none, it is looked for again later."""

    part: Callable[[], Awaitable[bool]]
    again: float = 0.0

    async def once(self) -> bool:
        """Whether there is more to do at once."""
        if monotonic() < self.again:
            return False
        try:
            more = await self.part()
        except IbidError as problem:
            log.warning("ingest.part_later", problem=str(problem))
            more = False
        if not more:
            self.again = monotonic() + AFTER_FAILURE_SECONDS
        return more
