"""Who may see which document, and when: the reference with which every answer is compared.

Each document has two marks that occur nowhere else: the stem of its file name and a word in its text.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf

_MARK = re.compile(r"(?:zq|plan)[0-9a-f]{10}")
EVERYBODY = frozenset({"ann", "bob", "cleo", "dan", "eve"})


@dataclass
class Grant:
    """A period, in seconds of the monotonic clock, in which these people may see a mark."""

    readers: frozenset[str]
    since: float
    until: float = inf


@dataclass
class Rights:
    """The rights over time. A change of access takes as long as the command that makes it: new rights are valid from
    the command's start, and revoked rights are invalid from its end."""

    _of: dict[str, list[Grant]] = field(default_factory=dict)
    leaks: list[str] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)

    def begin(self, mark: str, readers: Iterable[str]) -> None:
        self._of.setdefault(mark, []).append(Grant(frozenset(readers), time.monotonic()))

    def end_former(self, mark: str) -> None:
        """End all grants except the newest."""
        for grant in self._of.get(mark, [])[:-1]:
            grant.until = min(grant.until, time.monotonic())

    def end(self, mark: str) -> None:
        for grant in self._of.get(mark, []):
            grant.until = min(grant.until, time.monotonic())

    def may(self, who: str, mark: str, begun: float, ended: float) -> bool:
        """Return whether the answer to a call that ran from `begun` to `ended` may contain the mark."""
        grants = self._of.get(mark, [])
        return any(who in one.readers and one.since <= ended and begun <= one.until for one in grants)

    def check(self, who: str, text: str, begun: float, what: str) -> None:
        """Record each mark in the text that the reader must not see."""
        ended = time.monotonic()
        for mark in set(_MARK.findall(text)):
            self.seen[who] = self.seen.get(who, 0) + 1
            if not self.may(who, mark, begun, ended):
                self.leaks.append(f"{who} saw {mark} by {what}")

    @property
    def marks(self) -> list[str]:
        return list(self._of)
