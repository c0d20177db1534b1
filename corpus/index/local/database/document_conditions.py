"""Which documents a caller may find under some filters, as SQL."""

from __future__ import annotations

import json
from collections.abc import Iterator

from corpus.access import Caller, readable_clause
from corpus.filters import VALUE_FIELDS, Filters

Conditions = tuple[str, list[object]]
"""What follows WHERE in a query of `documents`, with its parameters."""

_READABLE = (
    "documents.access_control_list IN (WITH lists AS MATERIALIZED "
    "(SELECT DISTINCT access_control_list AS list FROM documents) SELECT list FROM lists WHERE {clause})"
)
"""Documents are many and access lists few, so the rule is applied to each list once."""


def conditions(caller: Caller, filters: Filters, *, prefixed: bool) -> Conditions:
    """Readable documents that pass the filters; a filter on blocks is met by a document that holds such a block."""
    clause, principals = readable_clause(caller, prefixed=prefixed, list_column="list")
    parts: list[Conditions] = [(_READABLE.format(clause=clause), [*principals])]
    if caller.unfiltered:
        parts = []
    parts += [_any_of(f"documents.{key}", getattr(filters, key)) for key in VALUE_FIELDS if getattr(filters, key)]
    parts += _within("upload_date", filters.uploaded_after, filters.uploaded_before)
    parts += _within("document_date", filters.dated_after, filters.dated_before)
    blocks = [(f"blocks.{key}", getattr(filters, key)) for key in ("block_type", "page_number")]
    parts += [_with_block([_any_of(column, values) for column, values in blocks if values])]
    return " AND ".join(part for part, _ in parts), [value for _, values in parts for value in values]


def _within(column: str, first: str | None, last: str | None) -> Iterator[Conditions]:
    """A document without the date is not within."""
    if first:
        yield f"substr(documents.{column}, 1, 10) >= ?", [first]
    if last:
        yield f"substr(documents.{column}, 1, 10) BETWEEN '0' AND ?", [last]


def _any_of(column: str, values: tuple[object, ...]) -> Conditions:
    return f"{column} IN (SELECT value FROM json_each(?))", [json.dumps(values)]


def _with_block(parts: list[Conditions]) -> Conditions:
    if not parts:
        return "1", []
    where = " AND ".join(part for part, _ in parts)
    values = [value for _, values in parts for value in values]
    return f"EXISTS (SELECT 1 FROM blocks WHERE blocks.doc = documents.id AND {where})", values
