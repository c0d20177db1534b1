"""The `filters` parameter, the same in every tool that has one."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from corpus.filters import KEYS, NAMED


def _property(key: str) -> dict[str, Any]:
    if key in NAMED:
        return _one_or_more({"type": "string"})
    if key == "page_number":
        return _one_or_more({"type": "integer", "minimum": 1})
    if key == "block_type":
        return {"type": "string", "enum": ["text", "image"]}
    return {"type": "string"}


def _one_or_more(one: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [one, {"type": "array", "items": one}]}


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {key: _property(key) for key in KEYS},
    "additionalProperties": False,
}

# Parsed by corpus.filters.Filters, whose messages name the near match; the schema is for the model to read.
SameFilterArguments = Annotated[
    Annotated[dict[str, Any], WithJsonSchema({"type": "object"})] | None,
    Field(description="As in rag_semantic_search."),
]
"""The same where another tool has spelled them out: a client pays for each schema."""

FilterArguments = Annotated[
    Annotated[dict[str, Any], WithJsonSchema(SCHEMA)] | None,
    Field(
        description="A list means any of; values as in rag_list_documents. Days like 2026-03-31, inclusive: dated_* "
        "the document's own, uploaded_* of indexing. Set only what the user said or a tool returned."
    ),
]
