"""Input schemas that every client accepts, and the parameter `filters`, which several tools share."""

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

# This schema is only for the model. corpus.filters.Filters validates the argument: it also accepts a single value
# instead of a list, and for an unknown key it suggests the most similar one.
_Filters = Annotated[dict[str, Any], WithJsonSchema(SCHEMA)] | None

FilterArguments = Annotated[
    _Filters,
    Field(
        description="Only what the user said or a tool returned. A list means any of; block_type is text or image. "
        "Days like 2026-03-31, inclusive: dated_* is the document's own date, uploaded_* that of indexing."
    ),
]
FilterArgumentsInShort = Annotated[
    _Filters, Field(description="Limits it to documents, types, authors or days like 2026-03-31.")
]
"""`FilterArguments` with a short description. The long description is in another tool's schema, and clients pay for
each token."""


_EMPTY: dict[str, Any] = {"string": "", "array": [], "object": {}}
"""Defaults of an optional argument, by type."""
_NOT_TAKEN = ("$defs", "additionalProperties", "title", "maxLength", "minLength", "maxItems")
"""Schema keywords that are dropped, because clients pay for every token of a schema. If an argument exceeds one of the
last three limits, the error message states the limit."""


def portable(schema: dict[str, Any]) -> dict[str, Any]:
    """Rewrite the schema of an object so that all clients accept it: no `$defs`, no unions. Optional properties get a
    default and are nullable."""
    result = _portable(schema, schema.get("$defs", {}))
    for name, part in result.get("properties", {}).items():
        if name not in result.get("required", ()):
            part["nullable"] = True  # smolagents requires every argument without it.
    return result


def _portable(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    whole = _resolved(schema, definitions)
    made = {key: value for key, value in whole.items() if key not in _NOT_TAKEN}
    if "items" in made:
        made["items"] = _portable(made["items"], definitions)
    if "properties" in made:
        required = made.get("required", ())
        made["properties"] = {
            name: _with_default(_portable(part, definitions), required=name in required)
            for name, part in made["properties"].items()
        }
    return made


def _resolved(schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """Resolve a reference, and drop "or null", at the top level of a schema."""
    if "$ref" in schema:
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        return _resolved(definitions[schema["$ref"].rsplit("/", 1)[-1]] | rest, definitions)
    kinds = [kind for kind in schema.get("anyOf", ()) if kind.get("type") != "null"]
    if not kinds:
        return schema
    if len(kinds) > 1:
        raise ValueError(f"Not all clients accept a union of types: {schema}")
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    return _resolved(kinds[0] | rest, definitions)


def _with_default(schema: dict[str, Any], *, required: bool) -> dict[str, Any]:
    """Give an optional argument a default. Drop its `enum`, which would otherwise have to contain that default."""
    if required or schema.get("default") is not None:
        return schema
    made = {key: value for key, value in schema.items() if key not in ("default", "enum")}
    empty = _EMPTY.get(schema.get("type", ""))
    return made if empty is None else made | {"default": empty}
