"""Filters of Azure AI Search in OData, safe by construction: field names come from one list, and one function writes
every literal.

A literal has one escape, the doubled quote; everything else, line ends and backslashes included, stands for itself in
a JSON body. `search.in` has none at all, so a value goes in only with a delimiter that it does not hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from corpus.text import is_text

FIELDS = frozenset(
    {
        "block_id", "doc_id", "block_type", "page_number", "access_control_list",
        "filename", "title", "document_type", "department", "author", "upload_date", "document_date",
    }
)  # fmt: skip
"""Every field that a filter may name."""

DELIMITERS = "|;^~`\t"
"""Tried in this order. The comma and the space are the service's defaults and common in names, so they are not here."""

MOST_ALONE = 50
"""Values that go into no `search.in` and are compared one by one; a longer chain is refused by the service."""

NOTHING = "false"
"""The filter that lets nothing through."""


def literal(value: str | int | datetime | None) -> str:
    """Raises ValueError for a text that JSON cannot carry and for a date without a zone, TypeError for other types."""
    if value is None:
        return "null"
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError("a date in a filter needs a zone")
        return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        if not is_text(value):
            raise ValueError("a text in a filter holds half of a surrogate pair")
        return "'" + value.replace("'", "''") + "'"
    raise TypeError(f"no literal of a filter: {type(value).__name__}")


def compared(field: str, operator: str, value: str | int | datetime | None) -> str:
    """One comparison; `operator` is one of eq, ne, ge, gt, le, lt."""
    if operator not in ("eq", "ne", "ge", "gt", "le", "lt"):
        raise ValueError(f"no operator of a filter: {operator}")
    return f"{known(field)} {operator} {literal(value)}"


def one_of(field: str, values: Iterable[str]) -> str:
    """The field is one of these texts; of no text at all, `NOTHING`. Of those that go into no `search.in`, the first
    `MOST_ALONE` in order."""
    return _one_of(known(field), values)


def too_many_alone(values: Iterable[str]) -> bool:
    """Whether `one_of` would leave some of these out."""
    distinct = {value for value in values if value and is_text(value)}
    return sum(1 for value in distinct if not _delimiter(value)) > MOST_ALONE


def one_of_numbers(field: str, values: Iterable[int]) -> str:
    parts = [compared(field, "eq", value) for value in sorted(set(values))]
    return " or ".join(parts) or NOTHING


def holds_one_of(field: str, values: Iterable[str]) -> str:
    """The list holds one of these texts; of no text at all, `NOTHING`."""
    inner = _one_of("held", values)
    return NOTHING if inner == NOTHING else f"{known(field)}/any(held: {inner})"


def all_of(parts: Iterable[str | None]) -> str | None:
    """All of these filters together, each in brackets; None for none, which filters nothing."""
    return " and ".join(f"({part})" for part in parts if part) or None


def known(field: str) -> str:
    if field not in FIELDS:
        raise ValueError(f"no field of a filter: {field[:60]!r}")
    return field


def _one_of(name: str, values: Iterable[str]) -> str:
    groups: dict[str, list[str]] = {}
    # A text that JSON cannot carry is in no index.
    for value in sorted({value for value in values if value and is_text(value)}):
        groups.setdefault(_delimiter(value), []).append(value)
    alone = [f"{name} eq {literal(value)}" for value in groups.pop("", [])[:MOST_ALONE]]
    return " or ".join([*(_in(name, group, by) for by, group in groups.items()), *alone]) or NOTHING


def _in(name: str, values: Sequence[str], delimiter: str) -> str:
    if len(values) == 1:
        return f"{name} eq {literal(values[0])}"
    return f"search.in({name}, {literal(delimiter.join(values))}, {literal(delimiter)})"


def _delimiter(value: str) -> str:
    """One that the value does not hold; none for a value with space around it, which the service might trim."""
    if value != value.strip():
        return ""
    return next((delimiter for delimiter in DELIMITERS if delimiter not in value), "")
