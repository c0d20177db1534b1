"""What happens in folders, as the system tells it, and by looking around where it tells nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import anyio
import structlog
from watchfiles import awatch

from corpus.ingestion.ignoring import NAME
from corpus.ingestion.places import is_hidden, is_under

log = structlog.get_logger()

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
