"""Keep an index in sync with folders: debounce file events, ingest changes, and run OCR and embedding in between."""

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
from corpus.ingestion.paths import is_hidden, is_under
from corpus.ingestion.walk import IGNORE_FILE

log = structlog.get_logger()


STILL_SECONDS = 1.0
"""Seconds without changes after which a file counts as stable. Editors and copy programs pause for less than this while
they write."""
GONE_SECONDS = 3.0
"""Seconds after which a missing file counts as gone. Many programs delete the old file before they write the new
one."""

MAX_WAIT_SECONDS = 60.0
"""Maximum seconds to wait until a constantly changing folder or file is ingested anyway."""

State = tuple[int, int, int] | None
"""Number of entries, size in bytes and latest mtime (nanoseconds) at a path; None if nothing exists there."""


class Waiting(NamedTuple):
    """State and times of a waiting path: `since` is the time of the last observed change, and `first` that of the first
    event."""

    state: State
    since: float
    first: float


class Debounce:
    """Holds paths that had events until they stop changing."""

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
        """Record events at these paths. This does not access the disk, and may be called while `settled` is running."""
        self._noted += paths

    @property
    def is_waiting(self) -> bool:
        """Whether any path has not been returned by `settled` yet."""
        return bool(self._noted or self._waiting)

    def settled(self) -> list[Path]:
        """Return the paths that have been stable for long enough, sorted, each once. Blocks, so call it in a thread."""
        now = self._clock()
        noted, self._noted = self._noted, []
        for path in dict.fromkeys(noted):
            first = self._waiting[path].first if path in self._waiting else now
            self._waiting[path] = Waiting(state_of(path), now, first)
        return sorted(path for path in list(self._waiting) if self._is_due(path, now))

    def _is_due(self, path: Path, now: float) -> bool:
        waiting = self._waiting[path]
        is_overdue = waiting.state is not None and now - waiting.first >= MAX_WAIT_SECONDS
        if not is_overdue and now - waiting.since < (self._gone if waiting.state is None else self._still):
            return False
        state = state_of(path)
        if state != waiting.state and not is_overdue:
            self._waiting[path] = Waiting(state, now, waiting.first)
            return False
        del self._waiting[path]
        return True


def state_of(path: Path) -> State:
    """Return the state of a file, or of a folder including everything in it. Blocks."""
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
                status_ = os.lstat(os.path.join(folder, name))
            except OSError:
                continue
            count, size, latest = count + 1, size + status_.st_size, max(latest, status_.st_mtime_ns)
    return count, size, latest


Happened = Callable[[Iterable[Path]], None]
Identity = tuple[int, int] | None

LOOK_SECONDS = 1.0
"""Seconds between polls of the roots, which detect a mounted drive, a replaced folder, or a change of a file that is
itself a root."""
RETRY_SECONDS = 5.0
"""Seconds before a failed watch is started again."""
# Polling is the fallback for file systems without events. The short waits group the events of one save.
_POLL_MS = 3000
_DEBOUNCE_MS = 200
_STEP_MS = 50
_READY_MS = 100


class Watch:
    """Calls `happened` with changed paths under the roots, until cancelled. `ready` is set as soon as no more events
    can be missed.

    Hidden files are ignored, except .ibidignore, which affects its entire folder.
    """

    def __init__(self, roots: Sequence[Path], happened: Happened) -> None:
        self._roots = tuple(roots)
        self._happened = happened
        self.ready = anyio.Event()

    async def run(self) -> None:
        """Watch until cancelled."""
        while True:
            folders = self._folders()
            with anyio.CancelScope() as scope:
                async with anyio.create_task_group() as group:
                    group.start_soon(self._look_around, folders, scope)
                    await self._listen(list(folders))
                    scope.cancel()
            # A folder appeared, vanished or was replaced. Meanwhile, events may have been missed in all folders.
            self._happened({*folders, *self._folders()})

    async def _listen(self, folders: Sequence[Path]) -> None:
        """Listen until a folder vanishes or the system refuses the watch. The caller retries after a pause."""
        if not folders:
            self.ready.set()
            await anyio.sleep_forever()
        for polls in (False, True):
            try:
                await self._hear(folders, polls=polls)
            except FileNotFoundError:
                break
            except (OSError, RuntimeError) as problem:  # usually more folders than the system can watch
                log.warning("watch.refused", problem=str(problem), then="later" if polls else "looking around")
        self.ready.set()
        await anyio.sleep(RETRY_SECONDS)

    async def _hear(self, folders: Sequence[Path], *, polls: bool) -> None:
        changes = awatch(
            *folders, watch_filter=None, debounce=_DEBOUNCE_MS, step=_STEP_MS, rust_timeout=_READY_MS,
            yield_on_timeout=True, force_polling=polls or None, poll_delay_ms=_POLL_MS, ignore_permission_denied=True,
        )  # fmt: skip
        async for batch in changes:
            self.ready.set()  # the first result, even if empty, proves that the watch is active
            if batch:
                self._happened({place for _, path in batch if (place := self._place(Path(path)))})

    def _place(self, path: Path) -> Path | None:
        root = next((top for top in self._roots if is_under(path, top)), None)
        if root is None or any(map(is_hidden, path.parent.relative_to(root).parts if path != root else ())):
            return None
        if path.name == IGNORE_FILE:
            return path.parent
        return None if path != root and is_hidden(path.name) else path

    async def _look_around(self, folders: dict[Path, Identity], scope: anyio.CancelScope) -> None:
        """Poll the roots until a folder among them appears, vanishes or is replaced. Until then, report roots that are
        files when they change."""
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
    """Return a value that changes if the folder at this path is replaced, or if the file there changes."""
    try:
        state = root.stat()
    except OSError:
        return None
    return (state.st_dev, state.st_ino) if root.is_dir() else (state.st_size, state.st_mtime_ns)


TICK_SECONDS = 0.25
"""Seconds between two checks for events in an idle loop."""
RESCAN_SECONDS = 600.0
"""Seconds between full runs, which are needed because on a network drive no events report changes by other machines."""
RECHECK_SECONDS = 30.0
"""Seconds from the first change to the next full run, which is needed because the system drops events when its queue is
full. On Linux the queue holds 16,384 events, and a busy program can produce more in less than a second while this
process waits for a processor."""
RECHECK_SHARE = 0.05
"""Maximum fraction of the time to spend on full runs after changes: the larger the folder, the later they run."""
AFTER_FAILURE_SECONDS = 30.0
"""Seconds before a failed round, or a kind of work with nothing left to do, is tried again."""
TURN_SECONDS = 10.0
"""Seconds of OCR at a time while a folder changes constantly: enough for a few pages."""


class Keeper(Protocol):
    """Does the work of the loop."""

    async def take_in(self, changed: Sequence[Path] | None) -> None:
        """Ingest all roots, or the files at or below these paths. Raises IbidError."""

    async def recognise(self, go_on: Callable[[], bool]) -> bool:
        """Run OCR on pictures until none are left or `go_on` returns False. Return False if none are left. Raises
        IbidError."""

    async def embed(self) -> bool:
        """Embed one batch. Return False if nothing is pending. Raises IbidError."""


async def keep_up(roots: Sequence[Path], keeper: Keeper, settling: Debounce | None = None) -> None:
    """Keep the index in sync until cancelled. Raises IbidError if the first run does; later failures are retried."""
    settling = settling or Debounce()
    watch = Watch(roots, settling.touch)
    failure: IbidError | None = None
    async with anyio.create_task_group() as group:
        group.start_soon(watch.run)
        await watch.ready.wait()
        try:
            await keeper.take_in(None)
            await _SyncRound(keeper, settling).go_on()
        except IbidError as problem:
            failure = problem
            group.cancel_scope.cancel()
    if failure:
        raise failure


class _SyncRound:
    def __init__(self, keeper: Keeper, settling: Debounce) -> None:
        self._keeper = keeper
        self._settling = settling
        self._all_again = monotonic() + RESCAN_SECONDS
        self._recheck_seconds = RECHECK_SECONDS
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
        start = monotonic()
        try:
            await self._keeper.take_in(changed)
        except IbidError as problem:
            log.warning("ingest.again_later", problem=str(problem))
            self._all_again = monotonic() + AFTER_FAILURE_SECONDS
            return
        now = monotonic()
        if changed is None:
            self._recheck_seconds = min(RESCAN_SECONDS, max(RECHECK_SECONDS, (now - start) / RECHECK_SHARE))
            self._all_again = now + RESCAN_SECONDS
        else:
            self._all_again = min(self._all_again, now + self._recheck_seconds)
        self._recognise.again = self._embed.again = 0.0

    def _quiet(self) -> Callable[[], bool]:
        """Return a function that returns True for TURN_SECONDS, and after that as long as no file event is waiting."""
        end = monotonic() + TURN_SECONDS
        return lambda: monotonic() < end or not self._settling.is_waiting


@dataclass
class _Later:
    """Work that is done in parts while no file event is waiting. If no work is left or a part fails, it is tried again
    later."""

    part: Callable[[], Awaitable[bool]]
    again: float = 0.0

    async def once(self) -> bool:
        """Do one part of the work. Return whether another part can follow immediately."""
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
