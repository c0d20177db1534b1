"""Check the arguments of a call against the schema. The refusal names the wrong argument and the cure.

The SDK passes over unknown arguments in silence, and shows raw validation text for malformed ones.
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
"""Characters of a text. The longest that a tool takes is an answer to be verified, of 40,000."""
MAX_ITEMS = 200
"""Of a list or an object. The longest that a tool takes are the values of a filter, of which there may be 100."""
AMOUNTS = frozenset(("top_k", "limit", "max_tokens", "temperature"))
"""Numbers that say how much is wanted; one beyond its bound is taken as the bound."""
_WHOLE = re.compile(r"-?[0-9]{1,9}")
_FREE = "context"
"""Data of the client's own, of which `llm_generate` reads the beginning."""


def refuse_unknown(arguments: Iterable[str], parameters: Mapping[str, Any], taker: str) -> None:
    """Raises InvalidRequest for an argument that `taker` does not have."""
    known = list(parameters.get("properties", {}))
    for name in arguments:
        if name not in known:
            raise InvalidRequest(
                f"Unknown argument {name[:80]!r}.{did_you_mean(name, known)} {taker} takes: {', '.join(known)}."
            )


def filled_in(arguments: Mapping[str, Any], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Without what some clients send for an argument that was left out: null, or an empty text."""
    required = parameters.get("required", ())
    return {name: value for name, value in arguments.items() if name in required or value not in (None, "")}


def within_bounds(
    arguments: dict[str, Any], parameters: Mapping[str, Any]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The arguments with each amount at most at its bound, and a sentence for each that was beyond."""
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
    """Raises InvalidRequest for a text or a list beyond what any tool takes, before anything looks at it: of a list of
    a million wrong values, the SDK would write out each error."""
    for name, value in arguments.items():
        if name != _FREE:
            _refuse_endless(name, value, 2)


def _refuse_endless(name: str, value: object, deeper: int) -> None:
    """Down to the texts in the objects of a list; what is nested deeper no tool takes."""
    if isinstance(value, str) and len(value) > MAX_TEXT:
        raise InvalidRequest(
            f"Argument {name!r} holds a text of {len(value)} characters; at most {MAX_TEXT} are taken."
        )
    if isinstance(value, list | dict):
        if len(value) > MAX_ITEMS:
            raise InvalidRequest(f"Argument {name!r} has {len(value)} parts; at most {MAX_ITEMS} are taken.")
        parts = (*value, *value.values()) if isinstance(value, dict) else value
        for part in parts if deeper else ():
            _refuse_endless(name, part, deeper - 1)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A sentence that names the known name closest to an unknown one; empty where none is close."""
    near = difflib.get_close_matches(name[:80].lower(), list(known), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def malformed(error: ValidationError, parameters: Mapping[str, Any]) -> InvalidRequest:
    """The first few problems, each with the argument's name, what came, and what it should be."""
    problems = [_problem(one, parameters) for one in error.errors(include_url=False)[:MAX_PROBLEMS]]
    return InvalidRequest(" ".join(problems))


def _problem(error: ErrorDetails, parameters: Mapping[str, Any]) -> str:
    name, *inner = error["loc"] or ("arguments",)
    place = str(name) + "".join(_step(one) for one in inner)
    if error["type"] == "missing":
        about = "" if inner else parameters.get("properties", {}).get(name, {}).get("description", "")
        return f"Argument {place!r} is missing. {about}".strip()
    if error["type"] == "extra_forbidden":
        return f"Argument {place!r} is unknown.{_known(parameters, str(name))}"
    wanted = error["msg"].replace("Input should", "it should", 1).replace("dictionary", "object")
    return f"Argument {place!r} is {_as_text(error['input'])}: {wanted}."


def _step(step: int | str) -> str:
    """Into a list or an object; the other steps of pydantic are about types."""
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if step.isidentifier() and step.islower() and step not in _TYPES else ""


_TYPES = ("str", "int", "float", "bool", "list", "dict", "literal", "none")


def _known(parameters: Mapping[str, Any], name: str) -> str:
    """What the objects of a list take."""
    fields = parameters.get("properties", {}).get(name, {}).get("items", {}).get("properties", {})
    return f" Each of {name} takes: {', '.join(fields)}." if fields else ""


def _as_text(value: object) -> str:
    text = ascii(value) if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
