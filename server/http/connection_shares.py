"""Choose the connection to close when connections run out: an unauthenticated one, at the address with most of them.

A connection of a known caller looks like any other until its first request, so none can be reserved for it. Instead, a
new connection replaces the oldest one that is unauthenticated and has sent no whole request.
"""

from __future__ import annotations

from typing import Protocol

SHARE = 4
"""An address may have 1/SHARE of all connections without a whole request."""


class Connection(Protocol):
    """A connection that may be closed in favour of another."""

    @property
    def gives_way(self) -> bool:
        """Whether its caller is unknown and it has no running request."""
        ...

    def give_way(self) -> None:
        """Close the connection."""
        ...


class Shares:
    """The unauthenticated connections of a server by address, oldest first. `limit` bounds all connections."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._share = max(1, limit // SHARE)
        self._unknown: dict[str, dict[Connection, None]] = {}

    def enter(self, connection: Connection, address: str, count: int) -> Connection | None:
        """Register a new connection, the last of `count`. Returns the connection to close for it, or None."""
        own = self._unknown.setdefault(address, {})
        own[connection] = None
        if len(own) > self._share and (oldest := self._oldest(own, connection)) is not None:
            return oldest
        if count > self._limit:
            groups = sorted(self._unknown.values(), key=len, reverse=True)
            return next((each for group in groups if (each := self._oldest(group, connection))), None)
        return None

    def leave(self, connection: Connection, address: str) -> None:
        """Forget a connection that has closed or whose caller is known."""
        own = self._unknown.get(address, {})
        own.pop(connection, None)
        if not own:
            self._unknown.pop(address, None)

    @staticmethod
    def _oldest(group: dict[Connection, None], but: Connection) -> Connection | None:
        return next((each for each in group if each is not but and each.gives_way), None)
