"""Which documents a call told of beside the rows of its answer, for a record of accesses: a choice between documents, a
page, a picture, what is offered to somebody who types."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_GIVEN: ContextVar[list[str] | None] = ContextVar("given", default=None)


def gave(*doc_ids: str) -> None:
    """Nothing where nobody records."""
    if (given := _GIVEN.get()) is not None:
        given.extend(doc_ids)


@contextmanager
def recorded() -> Iterator[list[str]]:
    """What is given while this lasts, in tasks that begin in it too."""
    given: list[str] = []
    token = _GIVEN.set(given)
    try:
        yield given
    finally:
        _GIVEN.reset(token)
