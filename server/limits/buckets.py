"""Token buckets, one per caller, in bounded memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from time import monotonic

MOST_CALLERS = 10_000


class Buckets:
    """`rate` calls a minute for each key, all of them at once if it likes. Of more keys than `most`, those that asked
    longest ago are forgotten; whoever is forgotten begins with a full bucket."""

    def __init__(self, rate: int, *, most: int = MOST_CALLERS, now: Callable[[], float] = monotonic) -> None:
        self._rate, self._most, self._now = rate, most, now
        self._held: OrderedDict[bytes, tuple[float, float]] = OrderedDict()

    def wait(self, key: bytes) -> float:
        """Takes one call of the key's; 0.0 where it had one, else the seconds until it has one again."""
        now = self._now()
        left, since = self._held.pop(key, (float(self._rate), now))
        left = min(float(self._rate), left + (now - since) * self._rate / 60)
        taken = left >= 1
        self._held[key] = (left - 1 if taken else left, now)
        if len(self._held) > self._most:
            self._held.popitem(last=False)
        return 0.0 if taken else (1 - left) * 60 / self._rate

    def __len__(self) -> int:
        return len(self._held)
