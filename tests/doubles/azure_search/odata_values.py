"""Constants and fields of a filter as values that can be compared."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from tests.doubles.azure_search.definition import Field
from tests.doubles.azure_search.errors import bad_filter
from tests.doubles.azure_search.odata_nodes import Constant

WHOLE = ("Edm.Int16", "Edm.Int32", "Edm.Int64", "Edm.Byte", "Edm.SByte")
_CONSTANTS = {"Edm.String": "string", "Edm.Boolean": "word", "Edm.DateTimeOffset": "moment"}


@lru_cache(maxsize=100_000)
def moment(text: str) -> datetime:
    """Parse a date and time with a time zone, in UTC. Raise ValueError if it is invalid."""
    found = datetime.fromisoformat(_six_digits(text))
    if found.tzinfo is None:
        raise ValueError(f"no zone: {text}")
    return found.astimezone(UTC)


def readable(field: Field, get: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Wrap `get`, so that it returns the value in its comparable form."""
    change: Callable[[str], Any] | None = moment if field.item_type == "Edm.DateTimeOffset" else field.normalise
    if change is None:
        return get
    changed = change
    return lambda it: None if (value := get(it)) is None else changed(value)


def constant_for(constant: Constant, type_name: str, sign: str, field: Field) -> Any:
    """Return the constant's value, if this operator may compare it with a value of this type."""
    ordered = sign not in ("eq", "ne")
    if constant == Constant("word", "null"):
        if ordered:
            raise bad_filter(f"'{sign}' cannot be used with null.")
        return None
    if ordered and type_name in ("Edm.String", "Edm.Boolean"):
        raise bad_filter(f"'{sign}' cannot be used with {type_name}.")
    return _number(constant, type_name) if _numeric(type_name) else _other(constant, type_name, field)


def _numeric(type_name: str) -> bool:
    return type_name in (*WHOLE, "Edm.Double", "Edm.Single")


def _number(constant: Constant, type_name: str) -> float:
    unbounded = constant.text in ("NaN", "INF", "-INF")
    if unbounded and type_name not in WHOLE:
        return {"NaN": math.nan, "INF": math.inf, "-INF": -math.inf}[constant.text]
    if constant.kind != "number" or unbounded:
        raise _incompatible(constant, type_name)
    try:
        return int(constant.text)
    except ValueError:
        return float(constant.text)


def _other(constant: Constant, type_name: str, field: Field) -> Any:
    not_boolean = type_name == "Edm.Boolean" and constant.text not in ("true", "false")
    if _CONSTANTS.get(type_name) != constant.kind or not_boolean:
        raise _incompatible(constant, type_name)
    if type_name == "Edm.Boolean":
        return constant.text == "true"
    if type_name == "Edm.String":
        return field.normalise(constant.text) if field.normalise else constant.text
    try:
        return moment(constant.text)
    except ValueError:
        raise _incompatible(constant, type_name) from None


def _incompatible(constant: Constant, type_name: str) -> Exception:
    return bad_filter(f"'{constant.text}' cannot be compared with a value of type '{type_name}'.")


def _six_digits(text: str) -> str:
    """Cut a fraction of a second to six digits. The service has seven, Python has six."""
    head, dot, tail = text.partition(".")
    if not dot:
        return text
    digits = tail[: next((at for at, one in enumerate(tail) if not one.isdigit()), len(tail))]
    return f"{head}.{digits[:6].ljust(6, '0')}{tail[len(digits) :]}"
