"""Collect, for the audit log, the ids of documents that a call discloses outside its result rows (in options, pages or
completions)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_DISCLOSED: ContextVar[list[str] | None] = ContextVar("disclosed", default=None)


def disclose(*doc_ids: str) -> None:
    """Record that the current call discloses these documents, if `record_disclosures` is active."""
    if (disclosed := _DISCLOSED.get()) is not None:
        disclosed.extend(doc_ids)


@contextmanager
def record_disclosures() -> Iterator[list[str]]:
    """Collect the ids passed to `disclose` in this context and in tasks started from it."""
    disclosed: list[str] = []
    token = _DISCLOSED.set(disclosed)
    try:
        yield disclosed
    finally:
        _DISCLOSED.reset(token)
