"""OData filters that are safe by construction: field names come from a fixed list, and one function writes every
literal.

`build_security_filter` implements the access rule of `corpus.access`. In a literal, only the quote is escaped, by
doubling it; in a JSON body, all other characters, including line breaks and backslashes, need no OData escape.
`search.in` has no escape, so each value is passed with a delimiter that it does not contain.
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
"""All fields that a filter may contain."""

DELIMITERS = "|;^~`\t"
"""Delimiters in order of preference. The service's defaults, comma and space, are not used, because they are common in
names."""

MAX_ALONE = 50
"""Maximum number of values that `search.in` cannot contain and that are therefore compared one by one. The service
refuses longer chains of comparisons."""

NOTHING = "false"
"""A filter that matches nothing."""


def literal(value: str | int | datetime | None) -> str:
    """Return an OData literal. Raises ValueError for text that JSON cannot represent or for a date without a time zone,
    and TypeError for other types."""
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
    """Return a comparison. `operator` is one of eq, ne, ge, gt, le, lt."""
    if operator not in ("eq", "ne", "ge", "gt", "le", "lt"):
        raise ValueError(f"no operator of a filter: {operator}")
    return f"{checked_field(field)} {operator} {literal(value)}"


def one_of(field: str, values: Iterable[str]) -> str:
    """Return the condition that the field equals one of these strings, or `NOTHING` if there are none. Of the strings
    that `search.in` cannot contain, only the first MAX_ALONE are included."""
    return _one_of(checked_field(field), values)


def too_many_alone(values: Iterable[str]) -> bool:
    """Return whether `one_of` would drop some of these values."""
    distinct = {value for value in values if value and is_text(value)}
    return sum(1 for value in distinct if not _delimiter(value)) > MAX_ALONE


def one_of_numbers(field: str, values: Iterable[int]) -> str:
    """Return the condition that the field equals one of these numbers, or `NOTHING` if there are none."""
    parts = [comparison(field, "eq", value) for value in sorted(set(values))]
    return " or ".join(parts) or NOTHING


def holds_one_of(field: str, values: Iterable[str]) -> str:
    """Return the condition that the list field contains one of these strings, or `NOTHING` if there are none."""
    inner = _one_of("held", values)
    return NOTHING if inner == NOTHING else f"{checked_field(field)}/any(held: {inner})"


def all_of(parts: Iterable[str | None]) -> str | None:
    """Return the conjunction of these filters, or None (no filter) if there are none."""
    return " and ".join(f"({part})" for part in parts if part) or None


def checked_field(field: str) -> str:
    """Return the field if it is allowed in a filter. Raises ValueError if it is not."""
    if field not in FIELDS:
        raise ValueError(f"no field of a filter: {field[:60]!r}")
    return field


def _one_of(name: str, values: Iterable[str]) -> str:
    groups: dict[str, list[str]] = {}
    # Text that JSON cannot represent is dropped, because no index contains it.
    for value in sorted({value for value in values if value and is_text(value)}):
        groups.setdefault(_delimiter(value), []).append(value)
    alone = [f"{name} eq {literal(value)}" for value in groups.pop("", [])[:MAX_ALONE]]
    return " or ".join([*(_in(name, group, by) for by, group in groups.items()), *alone]) or NOTHING


def _in(name: str, values: Sequence[str], delimiter: str) -> str:
    if len(values) == 1:
        return f"{name} eq {literal(values[0])}"
    return f"search.in({name}, {literal(delimiter.join(values))}, {literal(delimiter)})"


def _delimiter(value: str) -> str:
    """Return a delimiter that the value does not contain. Return an empty string if there is none or the value has
    surrounding spaces, which the service might trim."""
    if value != value.strip():
        return ""
    return next((delimiter for delimiter in DELIMITERS if delimiter not in value), "")


def build_security_filter(caller: Caller, *, prefixed: bool, field: str = "access_control_list") -> str | None:
    """Return the access rule as an OData filter for Azure AI Search, to be combined with other filters by `and`.

    Return None, meaning no filter, only for a caller to whom the access rule does not apply (`unfiltered`). For a
    caller without an identity, the filter matches only public rows. Every name is inside a quoted literal, so it cannot
    end the filter early.
    """
    if caller.unfiltered:
        return None
    return holds_one_of(field, caller.principals(prefixed=prefixed))
