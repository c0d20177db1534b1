"""Outcomes of all requests, by class: answered, properly failed, injected, busy, or an error of the server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

PROPER = {"DocumentNotFound", "AmbiguousDocument", "InvalidRequest"}
"""Error types that a failed call may have while documents are added and removed."""

_REFUSED = ("401", "Unauthorized", "Server returned an error response")
"""Texts in the errors that the SDK's client raises if a token was not accepted."""


@dataclass
class Tally:
    answered: Counter[str] = field(default_factory=Counter)
    proper: Counter[str] = field(default_factory=Counter)
    injected: Counter[str] = field(default_factory=Counter)
    busy: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    notices: int = 0

    def failed(self, what: str, kind: str) -> None:
        """Record a call that failed, with the type of its error or, if it has no type, with its text."""
        if kind == "Timeout":
            self.busy[what] += 1
        elif kind in PROPER:
            self.proper[f"{what}: {kind}"] += 1
        else:
            self.errors[f"{what}: {kind}"] += 1

    def raised(self, what: str, error: BaseException, *, refused: bool) -> None:
        """Record an exception raised in a client. `refused` is True if an injected fault may have caused a 401."""
        for one in leaves(error):
            said = f"{type(one).__name__}: {one}"
            if "No such resource" in said:
                self.proper[f"{what}: none"] += 1
            elif refused and any(word in said for word in _REFUSED):
                self.injected["a token at a new key or a dead issuer"] += 1
            else:
                self.errors[f"{what}: {said[:160]}"] += 1


def leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from leaves(one)
    else:
        yield error
