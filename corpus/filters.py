"""Filters for searches and listings. Only known keys are allowed. Several values for a key mean "any of"."""

from __future__ import annotations

import contextlib
import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime

from corpus.errors import InvalidRequest

VALUE_FIELDS = ("doc_id", "filename", "document_type", "department", "author")
"""Keys whose values must occur in documents that the caller may read."""

MAX_VALUES = 100
"""Maximum number of values for one filter, which limits the conditions in a query."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Validated filters. Empty tuples and None mean no filter. Days are ISO dates, and both ends of a range are
    included. `uploaded` refers to the day of indexing; `dated` refers to the document's own date, and never matches a
    document without one."""

    doc_id: tuple[str, ...] = ()
    filename: tuple[str, ...] = ()
    document_type: tuple[str, ...] = ()
    department: tuple[str, ...] = ()
    author: tuple[str, ...] = ()
    block_type: tuple[str, ...] = ()
    page_number: tuple[int, ...] = ()
    uploaded_after: str | None = None
    uploaded_before: str | None = None
    dated_after: str | None = None
    dated_before: str | None = None

    @classmethod
    def parse(cls, raw: Mapping[str, object] | None) -> Filters:
        """Parse filters from client input. Null, empty strings and empty lists are ignored. Raises InvalidRequest with
        the key and a fix."""
        return cls(**{key: parsed for key, value in (raw or {}).items() if (parsed := _parse(key, value))})  # type: ignore[arg-type]

    @property
    def asks_for_dates(self) -> bool:
        """Return whether a filter on the document's own date is set."""
        return bool(self.dated_after or self.dated_before)

    def __bool__(self) -> bool:
        return any(getattr(self, field.name) for field in fields(self))


KEYS = tuple(field.name for field in fields(Filters))


def _parse(key: str, value: object) -> object:
    if key not in KEYS:
        matches = difflib.get_close_matches(key[:80], KEYS, n=1)
        suggestion = f" Did you mean {matches[0]!r}?" if matches else ""
        raise InvalidRequest(f"Unknown filter {key[:80]!r}.{suggestion} Filters are: {', '.join(KEYS)}.")
    if value is None or value == "" or value in ([], ()):
        return None
    if key.endswith(("_after", "_before")):
        return _day(key, value)
    values = list(value) if isinstance(value, list | tuple) else [value]
    if len(values) > MAX_VALUES:
        raise InvalidRequest(f"Filter {key!r} has {len(values)} values; at most {MAX_VALUES} are taken.")
    return tuple(_page(each) if key == "page_number" else _word(key, each) for each in values)


def _day(key: str, value: object) -> str:
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}([T ].{1,40})?", value):
        with contextlib.suppress(ValueError):
            return datetime.fromisoformat(value).date().isoformat()
    raise InvalidRequest(f"Filter {key!r} takes a date like 2026-03-31, not {str(value)[:60]!r}.")


def _page(value: object) -> int:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 8:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value < 10_000_000:
        raise InvalidRequest(f"Filter 'page_number' takes a page of the file, from 1, not {str(value)[:60]!r}.")
    return value


def _word(key: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > 1024:
        raise InvalidRequest(f"Filter {key!r} takes text, or a list of texts, not {str(value)[:60]!r}.")
    if key == "block_type" and value not in ("text", "image"):
        raise InvalidRequest(f"Filter 'block_type' is 'text' or 'image', not {value[:60]!r}.")
    return value
