"""Validate the arguments of a call. Errors name the invalid argument and say how to correct it.

The SDK ignores unknown arguments, and shows raw validation text for malformed ones.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from corpus.errors import InvalidRequest

MAX_PROBLEMS = 3
MAX_TEXT = 100_000
"""Maximum length of a text argument, in characters. The longest text that a tool accepts, an answer to verify, has at
most 40,000 characters."""
MAX_ITEMS = 200
"""Maximum number of items in a list or an object. The longest list that a tool accepts, the values of a filter, has at
most 100 items."""
AMOUNTS = frozenset(("top_k", "limit", "max_tokens", "temperature"))
"""Numeric arguments that are clamped to their limits."""
_WHOLE = re.compile(r"-?[0-9]{1,9}")
_FREE = "context"
"""Name of the argument with the client's own data. It may be longer, because `llm_generate` reads only its
beginning."""


def refuse_unknown(arguments: Iterable[str], parameters: Mapping[str, Any], taker: str) -> None:
    """Raise InvalidRequest for an argument that `taker` does not have."""
    known = list(parameters.get("properties", {}))
    for name in arguments:
        if name not in known:
            raise InvalidRequest(
                f"Unknown argument {name[:80]!r}.{did_you_mean(name, known)} {taker} takes: {', '.join(known)}."
            )


def filled_in(arguments: Mapping[str, Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Drop optional arguments that are null or "", because some clients send these for omitted arguments."""
    required = parameters.get("required", ())
    return {name: value for name, value in arguments.items() if name in required or value not in (None, "")}


def within_bounds(arguments: dict[str, Any], parameters: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the arguments with AMOUNTS clamped to their limits, and a warning for each clamped argument."""
    warnings = []
    for name in [name for name in arguments if name in AMOUNTS]:
        schema, amount = parameters["properties"].get(name, {}), _number(arguments[name])
        if amount is None or "maximum" not in schema:
            continue
        taken = min(max(amount, schema["minimum"]), schema["maximum"])
        if taken != amount:
            bound = "maximum" if amount > taken else "minimum"
            warnings.append(f"{name}={_as_text(amount)} is beyond the {bound}; {taken} was used.")
            arguments = arguments | {name: taken}
    return arguments, tuple(warnings)


def _number(value: object) -> int | float | None:
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return int(value)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def refuse_endless(arguments: Mapping[str, Any]) -> None:
    """Raise InvalidRequest for a text or list that is longer than any tool accepts, before the SDK validates it: for a
    list of a million invalid values, the SDK would format a million errors."""
    for name, value in arguments.items():
        if name != _FREE:
            _refuse_endless(name, value, 2)


def _refuse_endless(name: str, value: object, deeper: int) -> None:
    """Check a value and its nested values, `deeper` levels down: the default reaches the texts in a list's objects. No
    tool accepts deeper nesting."""
    if isinstance(value, str) and len(value) > MAX_TEXT:
        raise InvalidRequest(f"Argument {name!r} is a text of {len(value)} characters; at most {MAX_TEXT} are allowed.")
    if isinstance(value, list | dict):
        if len(value) > MAX_ITEMS:
            raise InvalidRequest(f"Argument {name!r} has {len(value)} items; at most {MAX_ITEMS} are allowed.")
        parts = (*value, *value.values()) if isinstance(value, dict) else value
        for part in parts if deeper else ():
            _refuse_endless(name, part, deeper - 1)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a sentence that suggests the closest known name, or an empty string if none is close."""
    near = difflib.get_close_matches(name[:80].lower(), list(known), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def malformed(error: ValidationError, parameters: Mapping[str, Any]) -> InvalidRequest:
    """Return an error that lists the first MAX_PROBLEMS problems, each with the argument's name, its value, and the
    expected value."""
    problems = [_problem(fault, parameters) for fault in error.errors(include_url=False)[:MAX_PROBLEMS]]
    return InvalidRequest(" ".join(problems))


def _problem(error: ErrorDetails, parameters: Mapping[str, Any]) -> str:
    name, *inner = error["loc"] or ("arguments",)
    place = str(name) + "".join(map(_step, inner))
    if error["type"] == "missing":
        about = "" if inner else parameters.get("properties", {}).get(name, {}).get("description", "")
        return f"Argument {place!r} is missing. {about}".strip()
    if error["type"] == "extra_forbidden":
        return f"Argument {place!r} is unknown.{_known(parameters, str(name))}"
    wanted = error["msg"].replace("Input should", "it should", 1).replace("dictionary", "object")
    return f"Argument {place!r} is {_as_text(error['input'])}: {wanted}."


def _step(step: int | str) -> str:
    """Return one step of an error's location as text: an index into a list or a field of an object. Pydantic's other
    steps are types, and are omitted."""
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if step.isidentifier() and step.islower() and step not in _TYPES else ""


_TYPES = ("str", "int", "float", "bool", "list", "dict", "literal", "none")


def _known(parameters: Mapping[str, Any], name: str) -> str:
    """Return a sentence that lists the field names of the objects in a list argument."""
    fields = parameters.get("properties", {}).get(name, {}).get("items", {}).get("properties", {})
    return f" Each of {name} takes: {', '.join(fields)}." if fields else ""


def _as_text(value: object) -> str:
    text = ascii(value) if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
