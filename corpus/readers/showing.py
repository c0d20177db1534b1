"""Which pictures beside a document it may show. The reading process knows no rules: who knows them is asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar

Pictures = tuple[tuple[str, str], ...]
"""Absolute path and SHA-256 of each file."""

Refuse = Callable[[Pictures], Awaitable[frozenset[str]]]
"""The paths among them that the document may not show. Asked before anybody else sees what was read."""

refuse: ContextVar[Refuse | None] = ContextVar("refuse", default=None)
"""Of the file that is being read; without one every picture in the document's folder may be shown."""
