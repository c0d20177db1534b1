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


_EMPTY: dict[str, Any] = {"string": "", "array": [], "object": {}}
"""What a left-out argument of a type looks like."""
_NOT_TAKEN = ("$defs", "additionalProperties", "title", "maxLength", "minLength", "maxItems")
"""The last three a refusal tells, and a client pays for each at every start."""


def portable(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object in that subset; what is not required has a default and may be null."""
    made = _portable(schema, schema.get("$defs", {}))
    for name, part in made.get("properties", {}).items():
        if name not in made.get("required", ()):
            part["nullable"] = True  # smolagents asks for every argument without it
    return made


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
    """Without a reference and without "or null" at this level."""
    if "$ref" in schema:
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        return _resolved(definitions[schema["$ref"].rsplit("/", 1)[-1]] | rest, definitions)
    kinds = [kind for kind in schema.get("anyOf", ()) if kind.get("type") != "null"]
    if not kinds:
        return schema
    if len(kinds) > 1:
        raise ValueError(f"No client takes one of several types: {schema}")
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    return _resolved(kinds[0] | rest, definitions)


def _with_default(schema: dict[str, Any], *, required: bool) -> dict[str, Any]:
    """An optional choice that may be left out has no `enum`, in which its default would have to stand."""
    if required or schema.get("default") is not None:
        return schema
    made = {key: value for key, value in schema.items() if key not in ("default", "enum")}
    empty = _EMPTY.get(schema.get("type", ""))
    return made if empty is None else made | {"default": empty}
