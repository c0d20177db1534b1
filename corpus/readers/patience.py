"""How long one more sign of life is waited for, counted in what the process could use of the processor.

A reading process gives way to all others: on a busy machine it may get a hundredth of a second in each, and a good file
takes as many times longer. So its own work is counted, and the clock only where it does none.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from corpus.readers.protocol import Limits

_STARVED = 10
"""So many times longer by the clock a whole file may take than by its work."""


def work_seconds(pid: int) -> float | None:
    """What the main thread of a process has used of the processor; None where the system does not tell.

    The others watch memory and input, and would pass for work in one that hangs; those of text recognition would count
    one second several times.
    """
    try:
        fields = Path(f"/proc/{pid}/task/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return None


@dataclass(frozen=True, slots=True)
class Over:
    """The reason for a person. `whole`: the file as a whole took too long, not its next page."""

    reason: str
    whole: bool = False


@dataclass(slots=True)
class Patience:
    """With one request. `work` tells the seconds of the process's own work so far, None where nobody knows."""

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
        """A sign of life came."""
        self._heard = self.work() or self._heard
        self._moved = (self.clock(), self._heard)

    def ended(self) -> Over | None:
        """Why it is not waited for any longer; None as long as it is."""
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
