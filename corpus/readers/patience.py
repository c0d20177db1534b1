"""Time limits for a reading process, in terms of the CPU time that it could get.

Reading processes have a low priority: on a busy machine one may get a hundredth of a CPU, and a good file takes as
many times longer. So its own CPU time is limited, and wall time only while it does nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from corpus.readers.protocol import Limits

_STARVED = 10
"""Factor between the limits of a whole file's wall time and CPU time."""


def work_seconds(pid: int) -> float | None:
    """Return the CPU seconds of a process's main thread; None where the system does not tell.

    Other threads watch memory and input and would hide a hang; recognition threads would count a second several
    times.
    """
    try:
        fields = Path(f"/proc/{pid}/task/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return None


@dataclass(frozen=True, slots=True)
class Over:
    """The limit that was exceeded, for a person. `whole`: by the whole file, not by its next page."""

    reason: str
    whole: bool = False


@dataclass(slots=True)
class Patience:
    """The limits of one request. `work` returns the process's CPU seconds so far, None where unknown."""

    limits: Limits
    work: Callable[[], float | None]
    clock: Callable[[], float] = time.monotonic
    _begun: tuple[float, float] = field(init=False)
    _heard: float = field(init=False)
    _moved: tuple[float, float] = field(init=False)

    def __post_init__(self) -> None:
        self._begun = self._moved = (self.clock(), self.work() or 0.0)
        self._heard = self._begun[1]

    def heard(self) -> None:
        """Record a sign of life."""
        self._heard = self.work() or self._heard
        self._moved = (self.clock(), self._heard)

    def ended(self) -> Over | None:
        """Return the limit that was exceeded, or None."""
        now, work = self.clock(), self.work()
        if work is not None:
            if work > self._moved[1]:
                self._moved = (now, work)
            if work - self._begun[1] > self.limits.total_seconds:
                return Over(f"took more than {self.limits.total_seconds:g} s", whole=True)
            if work - self._heard > self.limits.silent_seconds:
                return Over(f"took more than {self.limits.silent_seconds:g} s")
        if now - self._moved[0] > self.limits.still_seconds:
            return Over(f"stood still for more than {self.limits.still_seconds:g} s")
        longest = _STARVED * self.limits.total_seconds
        late = now - self._begun[0] > longest
        return Over(f"took more than {longest:g} s", whole=True) if late else None
