"""Validation of a document's values, and the form in which the index stores them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tests.doubles.azure_search.definition import Definition, Field
from tests.doubles.azure_search.errors import not_allowed
from tests.doubles.azure_search.odata_values import moment

_KEY = re.compile(r"[A-Za-z0-9_\-=]{1,1024}")
_BITS = {"Edm.Byte": 8, "Edm.SByte": 7, "Edm.Int16": 15, "Edm.Int32": 31, "Edm.Int64": 63}
_MAX_TERM = 32_766
"""Maximum length in bytes of a string that is compared entirely."""


def checked(document: Mapping[str, Any], definition: Definition, at: int) -> dict[str, Any]:
    """Return the fields of action number `at`. An invalid value fails the entire batch."""
    values = {name: value for name, value in document.items() if not name.startswith("@")}
    key = values.get(definition.key)
    if not key:
        raise not_allowed(f"actions : {at}: Document key cannot be missing or empty.", "MissingKeyField")
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        allowed = "Keys can only contain letters, digits, underscore (_), dash (-), or equal sign (=)."
        message = f"Invalid document key: '{key}'. {allowed}"
        raise not_allowed(f"actions : {at}: {message}", "InvalidDocumentKey")
    for name, value in values.items():
        if name not in definition.fields:
            raise not_allowed(f"actions : {at}: The property '{name}' does not exist.", "UnknownProperty")
        if not _fits(value, definition.fields[name]):
            field = definition.fields[name]
            raise not_allowed(f"actions : {at}: '{name}' takes a value of type {field.type}.", "InvalidValue")
    return {name: _kept(value, definition.fields[name]) for name, value in values.items()}


def too_large(values: Mapping[str, Any], definition: Definition) -> str | None:
    """Return the name of a field with a string that is too long to be compared entirely."""
    for name, value in values.items():
        field = definition.fields[name]
        if field.item_type != "Edm.String" or not (field.filterable or field.sortable or field.facetable):
            continue
        texts = value if isinstance(value, list) else [value]
        if any(len(text.encode()) > _MAX_TERM for text in texts if text is not None):
            return name
    return None


def unset(field: Field) -> list[Any] | None:
    return [] if field.collection and not field.vector else None


def _fits(value: Any, field: Field) -> bool:
    if value is None:
        return not field.collection or field.vector
    if field.vector:
        return isinstance(value, list) and len(value) == field.dimensions and all(map(_number, value))
    if field.collection:
        return isinstance(value, list) and all(_of_type(item, field.item_type) for item in value)
    return _of_type(value, field.type)


def _of_type(value: Any, type_name: str) -> bool:
    if type_name == "Edm.DateTimeOffset":
        return isinstance(value, str) and _is_moment(value)
    if type_name in _BITS:
        low = 0 if type_name == "Edm.Byte" else -(2 ** _BITS[type_name])
        return isinstance(value, int) and not isinstance(value, bool) and low <= value < 2 ** _BITS[type_name]
    if type_name in ("Edm.Double", "Edm.Single", "Edm.Half"):
        return _number(value) or value in ("NaN", "INF", "-INF")
    return isinstance(value, {"Edm.String": str, "Edm.Boolean": bool}.get(type_name, object))


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_moment(value: str) -> bool:
    try:
        moment(value)
    except ValueError:
        return False
    return "T" in value


def _kept(value: Any, field: Field) -> Any:
    """Return the value to store: dates in UTC, numbers in the type of the field."""
    if value is None:
        return None
    if field.collection and not field.vector:
        return [_kept_item(item, field.item_type) for item in value]
    return list(value) if field.vector else _kept_item(value, field.type)


def _kept_item(value: Any, type_name: str) -> Any:
    if type_name == "Edm.DateTimeOffset":
        found = moment(value)
        return found.isoformat(timespec="milliseconds" if found.microsecond else "seconds").replace("+00:00", "Z")
    return float(value) if type_name == "Edm.Double" else value
