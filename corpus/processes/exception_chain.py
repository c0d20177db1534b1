"""Walk the chain of exceptions behind an error, through the wrappings of libraries, down to TLS, name server or
network."""

from __future__ import annotations

from collections.abc import Iterator

_KEPT_AS = ("inner_exception", "os_error")
"""Attributes in which libraries keep a cause beside Python's own."""


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error and everything behind it, each once."""
    visited: set[int] = set()
    queue: list[object] = [error]
    while queue:
        candidate = queue.pop()
        if isinstance(candidate, BaseException) and id(candidate) not in visited:
            visited.add(id(candidate))
            yield candidate
            queue += [candidate.__cause__, candidate.__context__, *getattr(candidate, "exceptions", ())]
            queue += [getattr(candidate, name, None) for name in _KEPT_AS]
