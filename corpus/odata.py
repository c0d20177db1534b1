"""OData filters, safe by construction: field names come from one list, and one function writes every literal.

`build_security_filter` is the access rule of `corpus.access`. A literal has one escape, the doubled quote; all other
characters, including line ends and backslashes, are literal in a JSON body. `search.in` has no escape, so each value
goes in with a delimiter that it does not contain.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from corpus.access import Caller
from corpus.text.normalization import is_text

FIELDS = frozenset(
    {
        "block_id", "doc_id", "block_type", "page_number", "access_control_list",
        "filename", "title", "document_type", "department", "author", "upload_date", "document_date",
    }
)  # fmt: skip
"""Every field that a filter may name."""

DELIMITERS = "|;^~`\t"
"""Tried in this order. The service's defaults, comma and space, are common in names and not used."""

MAX_ALONE = 50
"""Values that fit into no `search.in` and are compared one by one; the service refuses longer chains."""

NOTHING = "false"
"""The filter that matches nothing."""


def literal(value: str | int | datetime | None) -> str:
    """An OData literal. Raises ValueError for text that JSON cannot carry and for a date without a zone, TypeError for
    other types."""
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


def comparison(field: str, operator: str, value: str | int | datetime | None) -> str:
    """One comparison; `operator` is one of eq, ne, ge, gt, le, lt."""
    if operator not in ("eq", "ne", "ge", "gt", "le", "lt"):
        raise ValueError(f"no operator of a filter: {operator}")
    return f"{checked_field(field)} {operator} {literal(value)}"


def one_of(field: str, values: Iterable[str]) -> str:
    """The field equals one of these texts; `NOTHING` without texts. Of those that fit into no `search.in`, only the
    first MAX_ALONE."""
    return _one_of(checked_field(field), values)


def too_many_alone(values: Iterable[str]) -> bool:
    """Whether `one_of` would drop some of these."""
    distinct = {value for value in values if value and is_text(value)}
    return sum(1 for value in distinct if not _delimiter(value)) > MAX_ALONE


def one_of_numbers(field: str, values: Iterable[int]) -> str:
    """The field equals one of these numbers; `NOTHING` without numbers."""
    parts = [comparison(field, "eq", value) for value in sorted(set(values))]
    return " or ".join(parts) or NOTHING


def holds_one_of(field: str, values: Iterable[str]) -> str:
    """The list field contains one of these texts; `NOTHING` without texts."""
    inner = _one_of("held", values)
    return NOTHING if inner == NOTHING else f"{checked_field(field)}/any(held: {inner})"


def all_of(parts: Iterable[str | None]) -> str | None:
    """The conjunction of these filters; None without any, which filters nothing."""
    return " and ".join(f"({part})" for part in parts if part) or None


def checked_field(field: str) -> str:
    """The field, if a filter may name it. Raises ValueError."""
    if field not in FIELDS:
        raise ValueError(f"no field of a filter: {field[:60]!r}")
    return field


def _one_of(name: str, values: Iterable[str]) -> str:
    groups: dict[str, list[str]] = {}
    # No index holds text that JSON cannot carry.
    for value in sorted({value for value in values if value and is_text(value)}):
        groups.setdefault(_delimiter(value), []).append(value)
    alone = [f"{name} eq {literal(value)}" for value in groups.pop("", [])[:MAX_ALONE]]
    return " or ".join([*(_in(name, group, by) for by, group in groups.items()), *alone]) or NOTHING


def _in(name: str, values: Sequence[str], delimiter: str) -> str:
    if len(values) == 1:
        return f"{name} eq {literal(values[0])}"
    return f"search.in({name}, {literal(delimiter.join(values))}, {literal(delimiter)})"


def _delimiter(value: str) -> str:
    """A delimiter that the value does not contain; empty for a value with surrounding space, which the service might
    trim."""
    if value != value.strip():
        return ""
    return next((delimiter for delimiter in DELIMITERS if delimiter not in value), "")


def build_security_filter(caller: Caller, *, prefixed: bool, field: str = "access_control_list") -> str | None:
    """The rule as an OData filter for Azure AI Search, to be joined by `and` with other filters.

    None, meaning no filter, only for a caller whose access rules are off (`unfiltered`). A caller without an identity
    gets a filter for public rows. Names are quoted whole, so none can end the filter early.
    """
    if caller.unfiltered:
        return None
    return holds_one_of(field, caller.principals(prefixed=prefixed))
