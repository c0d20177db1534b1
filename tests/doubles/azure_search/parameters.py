"""Parameters of a search, each checked separately."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from tests.doubles.azure_search.definition import Definition, Semantic
from tests.doubles.azure_search.errors import Refused, bad_parameter

_SETTING = r"(?:count-\d{1,2}|threshold-[01](?:\.\d+)?|maxcharlength-\d{1,4}|highlight-(?:true|false))"
_EXTRACTIVE = re.compile(rf"extractive(?:\|{_SETTING}(?:,{_SETTING})*)?")


def string(given: Mapping[str, Any], name: str) -> str | None:
    value = given.get(name)
    if value is not None and not isinstance(value, str):
        raise bad_parameter(f"'{name}' must be a string.", name)
    return value


def whole(given: Mapping[str, Any], name: str, most: int) -> int | None:
    value = given.get(name)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise bad_parameter(f"The value must be between 0 and {most}.", f"${name}")
    return value


def facet_list(value: Any) -> list[str]:
    if value is not None and not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
        raise bad_parameter("'facets' must be a list of strings.", "facets")
    return value or []


def _names(value: str) -> list[str]:
    return [name.strip() for name in value.split(",") if name.strip()]


def _known(names: Iterable[str], definition: Definition, parameter: str) -> None:
    for name in names:
        if name not in definition.fields:
            raise bad_parameter(f"Could not find a property named '{name}' on type 'search.document'.", parameter)


def selected(value: str | None, definition: Definition) -> list[str]:
    shown = [field.name for field in definition.fields.values() if field.retrievable]
    if value is None or value.strip() in ("", "*"):
        return shown
    wanted = _names(value)
    _known(wanted, definition, "$select")
    for name in wanted:
        if name not in shown:
            raise bad_parameter(f"The field '{name}' is not retrievable.", "$select")
    return [name for name in shown if name in wanted]


def search_fields(value: str | None, definition: Definition) -> list[str]:
    searchable = [field.name for field in definition.fields.values() if field.text]
    if value is None or not value.strip():
        return searchable
    wanted = _names(value)
    _known(wanted, definition, "searchFields")
    for name in wanted:
        if name not in searchable:
            raise bad_parameter(f"The field '{name}' is not searchable.", "searchFields")
    return wanted


def weights_of(profile: str | None, definition: Definition) -> dict[str, float]:
    if profile is not None and profile not in definition.weights:
        raise bad_parameter(f"There is no scoring profile '{profile}'.", "scoringProfile")
    return definition.weights[profile] if profile else {}


def semantic_of(given: Mapping[str, Any], definition: Definition) -> Semantic | None:
    wait = given.get("semanticMaxWaitInMilliseconds")
    if wait is not None and (not isinstance(wait, int) or wait <= 750):
        name = "semanticMaxWaitInMilliseconds"
        reason = f"The '{name}' parameter needs to be larger than 750."
        raise bad_parameter(reason, name, "ParameterValueOutOfRange")
    if given.get("queryType") != "semantic" and not given.get("semanticQuery"):
        return None
    chosen = given.get("semanticConfiguration") or definition.default_semantic
    if chosen not in definition.semantic:
        message = f"The semantic configuration '{chosen}' does not exist.\r\nParameter name: semanticConfiguration"
        raise Refused(400, message, code="InvalidRequestParameter", detail="UnknownSemanticConfiguration")
    return definition.semantic[chosen]


def extractive(given: Mapping[str, Any], name: str) -> dict[str, str] | None:
    """Parse `extractive|count-3,threshold-0.7`. Return None if it was not requested."""
    value = string(given, name)
    if value is None or value == "none":
        return None
    if not _EXTRACTIVE.fullmatch(value):
        raise bad_parameter(f"'{value}' is not a valid value.", name)
    parts = (part.partition("-") for part in _names(value.partition("|")[2]))
    return {key: setting for key, _, setting in parts}
