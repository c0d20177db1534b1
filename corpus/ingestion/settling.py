"""Files that are being written are waited for: a place is given on when what is there has stood still for a while."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from time import monotonic
from typing import NamedTuple

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


class Settling:
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
