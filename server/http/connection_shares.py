"""Who gives way when connections run out: those who have not signed in, first at the address that holds most of them.

Until its first request a connection of a known caller looks like any other, so no place can be kept free for it.
Instead each new connection may take the place of the longest open one that is unknown and whose request has not come.
"""

from __future__ import annotations

from typing import Protocol

SHARE = 4
"""One address holds at most one in so many of all connections with requests that have not come."""


class Connection(Protocol):
    @property
    def gives_way(self) -> bool:
        """Whether nobody known asks here, and no request is worked on."""
        ...

    def give_way(self) -> None:
        """End."""
        ...


class Shares:
    """The unknown connections of one server by address, the oldest first; `most` is the bound on all connections."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._share = max(1, most // SHARE)
        self._unknown: dict[str, dict[Connection, None]] = {}

    def enter(self, connection: Connection, address: str, count: int) -> Connection | None:
        """Take note of a new connection, the last of `count`; returns the one that has to end for it, if any."""
        own = self._unknown.setdefault(address, {})
        own[connection] = None
        if len(own) > self._share and (oldest := self._oldest(own, connection)) is not None:
            return oldest
        if count > self._most:
            groups = sorted(self._unknown.values(), key=len, reverse=True)
            return next((each for group in groups if (each := self._oldest(group, connection))), None)
        return None

    def leave(self, connection: Connection, address: str) -> None:
        """It has ended, or its caller is known."""
        own = self._unknown.get(address, {})
        own.pop(connection, None)
        if not own:
            self._unknown.pop(address, None)

    @staticmethod
    def _oldest(group: dict[Connection, None], but: Connection) -> Connection | None:
        return next((each for each in group if each is not but and each.gives_way), None)
