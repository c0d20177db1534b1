"""The `filters` parameter, the same in every tool that has one."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from corpus.filters import KEYS, VALUE_FIELDS


def _property(key: str) -> dict[str, Any]:
    if key in VALUE_FIELDS:
        return {"type": "array", "items": {"type": "string"}, "default": []}
    if key == "page_number":
        return {"type": "array", "items": {"type": "integer"}, "default": []}
    return {"type": "string", "default": ""}


SCHEMA: dict[str, Any] = {"type": "object", "properties": {key: _property(key) for key in KEYS}}

# Parsed by corpus.filters.Filters, which takes one value for a list too and names the near match of an unknown key;
# the schema is for the model to read.
_Filters = Annotated[dict[str, Any], WithJsonSchema(SCHEMA)] | None

FilterArguments = Annotated[
    _Filters,
    Field(
        description="Only what the user said or a tool returned. A list means any of; block_type is text or image. "
        "Days like 2026-03-31, inclusive: dated_* the document's own, uploaded_* of indexing."
    ),
]
FilterArgumentsInShort = Annotated[
    _Filters, Field(description="To narrow it to documents, types, authors or days like 2026-03-31.")
]
"""The same, described in few words where another tool tells the rest: a client pays for each."""
