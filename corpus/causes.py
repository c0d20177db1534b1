"""Walk the chain of exceptions behind an error, through the wrappings of libraries, down to TLS, name server or
network."""

from __future__ import annotations

from collections.abc import Iterator

_KEPT_AS = ("inner_exception", "os_error")
"""Attributes in which libraries keep a cause beside Python's own."""


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error and everything behind it, each once."""
    seen: set[int] = set()
    waiting: list[object] = [error]
    while waiting:
        candidate = waiting.pop()
        if isinstance(candidate, BaseException) and id(candidate) not in seen:
            seen.add(id(candidate))
            yield candidate
            waiting += [candidate.__cause__, candidate.__context__, *getattr(candidate, "exceptions", ())]
            waiting += [getattr(candidate, name, None) for name in _KEPT_AS]
