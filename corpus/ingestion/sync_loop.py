"""Keep an index in sync with folders: debounce file events, ingest what changed, recognise and embed in between."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import NamedTuple, Protocol

import anyio
import anyio.to_thread
import structlog
from watchfiles import awatch

from corpus.errors import IbidError
from corpus.ingestion.ignore_rules import NAME
from corpus.ingestion.paths import is_hidden, is_under

log = structlog.get_logger()


STILL_SECONDS = 1.0
GONE_SECONDS = 3.0
"""Longer for what is not there: programs that save take a file away before they put the new one in its place."""

MOST_SECONDS = 60.0
"""For a folder in which something happens all the time, and for a file that somebody always writes to."""

State = tuple[int, int, int] | None
"""Number of entries, size and latest change of what lies at a place; None where nothing does."""


class Waiting(NamedTuple):
    """`since` when it was last seen to change, `first` when it was first told of."""

    state: State
    since: float
    first: float


class Debounce:
    """Places where something happened, until nothing happens there any more."""

    def __init__(
        self,
        still_seconds: float = STILL_SECONDS,
        gone_seconds: float = GONE_SECONDS,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._still, self._gone, self._clock = still_seconds, gone_seconds, clock
        self._noted: list[Path] = []
        self._waiting: dict[Path, Waiting] = {}

    def touch(self, paths: Iterable[Path]) -> None:
        """Something happened there. Does not look, and may be called while `settled` does."""
        self._noted += paths

    @property
    def is_waiting(self) -> bool:
        """Whether something happened at a place that was not given yet."""
        return bool(self._noted or self._waiting)

    def settled(self) -> list[Path]:
        """The places that stood still long enough, each given once, sorted. Looks at the disk; use it on a thread."""
        now = self._clock()
        noted, self._noted = self._noted, []
        for path in dict.fromkeys(noted):
            first = self._waiting[path].first if path in self._waiting else now
            self._waiting[path] = Waiting(state_of(path), now, first)
        return sorted(path for path in list(self._waiting) if self._is_due(path, now))

    def _is_due(self, path: Path, now: float) -> bool:
        one = self._waiting[path]
        in_vain = one.state is not None and now - one.first >= MOST_SECONDS
        if not in_vain and now - one.since < (self._gone if one.state is None else self._still):
            return False
        state = state_of(path)
        if state != one.state and not in_vain:
            self._waiting[path] = Waiting(state, now, one.first)
            return False
        del self._waiting[path]
        return True


def state_of(path: Path) -> State:
    """Of a folder with all that lies in it: a folder that is being copied is one that is being written."""
    try:
        status = path.lstat()
    except OSError:
        return None
    if not path.is_dir() or path.is_symlink():
        return 1, status.st_size, status.st_mtime_ns
    count, size, latest = 1, 0, status.st_mtime_ns
    for folder, _, names in os.walk(path):
        for name in names:
            try:
                one = os.lstat(os.path.join(folder, name))
            except OSError:
                continue
            count, size, latest = count + 1, size + one.st_size, max(latest, one.st_mtime_ns)
    return count, size, latest


Happened = Callable[[Iterable[Path]], None]
Identity = tuple[int, int] | None

LOOK_SECONDS = 1.0
"""How often the roots are looked at: a drive that comes, a folder put in another's place, a file that is a root."""
AGAIN_SECONDS = 5.0
_POLL_MS = 3000
_DEBOUNCE_MS = 200
_STEP_MS = 50
_READY_MS = 100


class Watch:
    """Tells `happened` of places under the roots until it is cancelled; `ready` is set once it misses nothing more.

    What hidden files do is not told, but for a file .ibidignore: then its whole folder has changed.
    """

    def __init__(self, roots: Sequence[Path], happened: Happened) -> None:
        self._roots = tuple(roots)
        self._happened = happened
        self.ready = anyio.Event()

    async def run(self) -> None:
        while True:
            folders = self._folders()
            with anyio.CancelScope() as scope:
                async with anyio.create_task_group() as group:
                    group.start_soon(self._look_around, folders, scope)
                    await self._listen(list(folders))
                    scope.cancel()
            # A folder came, went or was exchanged: what happened meanwhile was not heard, in any of them.
            self._happened({*folders, *self._folders()})

    async def _listen(self, folders: Sequence[Path]) -> None:
        """Returns where a folder is gone or the system refuses; it is tried again after a while."""
        if not folders:
            self.ready.set()
            await anyio.sleep_forever()
        for polls in (False, True):
            try:
                await self._hear(folders, polls=polls)
            except FileNotFoundError:
                break
            except (OSError, RuntimeError) as problem:  # more folders than the system watches, as a rule
                log.warning(
                    "watch.refused", problem=str(problem), then="later" if polls else "looking around"
                )
        self.ready.set()
        await anyio.sleep(AGAIN_SECONDS)

    async def _hear(self, folders: Sequence[Path], *, polls: bool) -> None:
        changes = awatch(
            *folders, watch_filter=None, debounce=_DEBOUNCE_MS, step=_STEP_MS, rust_timeout=_READY_MS,
            yield_on_timeout=True, force_polling=polls or None, poll_delay_ms=_POLL_MS, ignore_permission_denied=True,
        )  # fmt: skip
        async for batch in changes:
            self.ready.set()  # with the first answer, which may be empty, the system has been asked
            if batch:
                self._happened({place for _, path in batch if (place := self._place(Path(path)))})

    def _place(self, path: Path) -> Path | None:
        root = next((one for one in self._roots if is_under(path, one)), None)
        if root is None or any(map(is_hidden, path.parent.relative_to(root).parts if path != root else ())):
            return None
        if path.name == NAME:
            return path.parent
        return None if path != root and is_hidden(path.name) else path

    async def _look_around(self, folders: dict[Path, Identity], scope: anyio.CancelScope) -> None:
        """Until a folder among the roots comes or goes; a file among them is told of when it changes."""
        before = self._files()
        while True:
            await anyio.sleep(LOOK_SECONDS)
            files = await anyio.to_thread.run_sync(self._files)
            changed = [path for path in {*files, *before} if files.get(path) != before.get(path)]
            if changed:
                self._happened(changed)
            before = files
            if await anyio.to_thread.run_sync(self._folders) != folders:
                scope.cancel()

    def _folders(self) -> dict[Path, Identity]:
        return {root: _identity(root) for root in self._roots if root.is_dir()}

    def _files(self) -> dict[Path, Identity]:
        return {root: _identity(root) for root in self._roots if not root.is_dir()}


def _identity(root: Path) -> Identity:
    """What tells a folder from another one at the same place, and a file from its next state."""
    try:
        state = root.stat()
    except OSError:
        return None
    return (state.st_dev, state.st_ino) if root.is_dir() else (state.st_size, state.st_mtime_ns)


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


async def keep_up(roots: Sequence[Path], keeper: Keeper, settling: Debounce | None = None) -> None:
    """Until it is cancelled. Raises IbidError where the first run does; later ones are tried again."""
    settling = settling or Debounce()
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
    def __init__(self, keeper: Keeper, settling: Debounce) -> None:
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
