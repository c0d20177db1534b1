"""Document ids that a call disclosed outside its result rows (options, pages, completions), for the audit log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_GIVEN: ContextVar[list[str] | None] = ContextVar("given", default=None)


def disclose(*doc_ids: str) -> None:
    """Nothing where nobody records."""
    if (disclosed := _GIVEN.get()) is not None:
        disclosed.extend(doc_ids)


@contextmanager
def recorded() -> Iterator[list[str]]:
    """What is given while this lasts, in tasks that begin in it too."""
    disclosed: list[str] = []
    token = _GIVEN.set(disclosed)
    try:
        yield disclosed
    finally:
        _GIVEN.reset(token)
