"""What lies behind an error of a library: TLS, the name server or the network, some wrappings further down."""

from __future__ import annotations

from collections.abc import Iterator

_KEPT_AS = ("inner_exception", "os_error")
"""Where libraries keep a cause beside Python's own places."""


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
