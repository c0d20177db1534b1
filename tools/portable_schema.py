"""Reduce input schemas to what every known client accepts: plain types, defaults, no null unions, no `$ref`.

Some clients hand a schema to a model's API that refuses the rest of JSON Schema, or make required whatever has no
default. Arguments are checked here as strictly as before: by pydantic and by `server.arguments`.
"""

from __future__ import annotations

from typing import Any

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
