"""What a search asks for, read and checked against the index."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.doubles.azure_search.definition import Definition, Semantic
from tests.doubles.azure_search.errors import Refused, bad_parameter
from tests.doubles.azure_search.order import Key, read_order

PAGE, MAX_PAGE, MAX_SKIP = 50, 1000, 100_000
_MAX_TEXT = 100_000
_KNOWN = """
answers captions count debug facets filter minimumCoverage orderby queryType scoringProfile scoringStatistics search
searchFields searchMode select semanticConfiguration semanticErrorHandling semanticMaxWaitInMilliseconds semanticQuery
sessionId skip top vectorFilterMode vectorQueries
"""
_SETTING = r"(?:count-\d{1,2}|threshold-[01](?:\.\d+)?|maxcharlength-\d{1,4}|highlight-(?:true|false))"
_EXTRACTIVE = re.compile(rf"extractive(?:\|{_SETTING}(?:,{_SETTING})*)?")
_CHOICES = {
    "queryType": ("simple", "full", "semantic"),
    "searchMode": ("any", "all"),
    "vectorFilterMode": ("preFilter", "postFilter", "strictPostFilter"),
    "semanticErrorHandling": ("partial", "fail"),
}


@dataclass(frozen=True)
class Options:
    text: str | None
    """None when nothing is to be looked for by words."""
    fields: list[str]
    """In which the words are looked for."""
    weights: dict[str, float]
    filter: str | None
    query_type: str
    every: bool
    """Each word is needed."""
    filter_mode: str
    order: list[Key]
    select: list[str]
    """What comes back, in the order of the index."""
    skip: int
    top: int | None
    count: bool
    facets: list[str]
    semantic: Semantic | None
    semantic_query: str | None
    fails_whole: bool
    """Without the ranker there is to be no answer at all."""
    captions: dict[str, str] | None
    answers: dict[str, str] | None


def read_options(body: Mapping[str, Any], definition: Definition) -> Options:
    given = {name: value for name, value in body.items() if value is not None}
    for name in given.keys() - set(_KNOWN.split()):
        raise bad_parameter(f"The parameter '{name}' is not known or not built here.", name)
    for name, choices in _CHOICES.items():
        if given.get(name, choices[0]) not in choices:
            raise bad_parameter(f"'{given[name]}' is not one of {', '.join(choices)}.", name)
    text = _string(given, "search")
    if len(text or "") > _MAX_TEXT:
        raise bad_parameter("The search text is longer than 100000 characters.", "search")
    order = read_order(_string(given, "orderby"), definition)
    semantic = _semantic(given, definition)
    if semantic and order:
        raise bad_parameter("orderby cannot be used with the semantic ranker.", "orderby")
    return Options(
        text=text if text and text.strip() else None,
        fields=_search_fields(_string(given, "searchFields"), definition),
        weights=_weights(_string(given, "scoringProfile"), definition),
        filter=_string(given, "filter"),
        query_type=given.get("queryType", "simple"),
        every=given.get("searchMode") == "all",
        filter_mode=given.get("vectorFilterMode", "preFilter"),
        order=order,
        select=_select(_string(given, "select"), definition),
        skip=_whole(given, "skip", MAX_SKIP) or 0,
        top=_whole(given, "top", 2**31 - 1),
        count=given.get("count") is True,
        facets=_facets(given.get("facets")),
        semantic=semantic,
        semantic_query=_string(given, "semanticQuery"),
        fails_whole=given.get("semanticErrorHandling") == "fail",
        captions=_extractive(given, "captions"),
        answers=_extractive(given, "answers"),
    )


def _string(given: Mapping[str, Any], name: str) -> str | None:
    value = given.get(name)
    if value is not None and not isinstance(value, str):
        raise bad_parameter(f"'{name}' must be a string.", name)
    return value


def _whole(given: Mapping[str, Any], name: str, most: int) -> int | None:
    value = given.get(name)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise bad_parameter(f"The value must be between 0 and {most}.", f"${name}")
    return value


def _facets(value: Any) -> list[str]:
    if value is not None and not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
        raise bad_parameter("'facets' must be a list of strings.", "facets")
    return value or []


def _names(value: str) -> list[str]:
    return [name.strip() for name in value.split(",") if name.strip()]


def _known(names: Iterable[str], definition: Definition, parameter: str) -> None:
    for name in names:
        if name not in definition.fields:
            raise bad_parameter(
                f"Could not find a property named '{name}' on type 'search.document'.", parameter
            )


def _select(value: str | None, definition: Definition) -> list[str]:
    shown = [field.name for field in definition.fields.values() if field.retrievable]
    if value is None or value.strip() in ("", "*"):
        return shown
    wanted = _names(value)
    _known(wanted, definition, "$select")
    for name in wanted:
        if name not in shown:
            raise bad_parameter(f"The field '{name}' is not retrievable.", "$select")
    return [name for name in shown if name in wanted]


def selected(value: str | None, definition: Definition) -> list[str]:
    """The fields that a look-up gives."""
    return _select(value, definition)


def _search_fields(value: str | None, definition: Definition) -> list[str]:
    searchable = [field.name for field in definition.fields.values() if field.text]
    if value is None or not value.strip():
        return searchable
    wanted = _names(value)
    _known(wanted, definition, "searchFields")
    for name in wanted:
        if name not in searchable:
            raise bad_parameter(f"The field '{name}' is not searchable.", "searchFields")
    return wanted


def _weights(profile: str | None, definition: Definition) -> dict[str, float]:
    if profile is not None and profile not in definition.weights:
        raise bad_parameter(f"There is no scoring profile '{profile}'.", "scoringProfile")
    return definition.weights[profile] if profile else {}


def _semantic(given: Mapping[str, Any], definition: Definition) -> Semantic | None:
    wait = given.get("semanticMaxWaitInMilliseconds")
    if wait is not None and (not isinstance(wait, int) or wait <= 750):
        name = "semanticMaxWaitInMilliseconds"
        reason = f"The '{name}' parameter needs to be larger than 750."
        raise bad_parameter(reason, name, "ParameterValueOutOfRange")
    if given.get("queryType") != "semantic" and not given.get("semanticQuery"):
        return None
    chosen = given.get("semanticConfiguration") or definition.default_semantic
    if chosen not in definition.semantic:
        message = (
            f"The semantic configuration '{chosen}' does not exist.\r\nParameter name: semanticConfiguration"
        )
        raise Refused(400, message, code="InvalidRequestParameter", detail="UnknownSemanticConfiguration")
    return definition.semantic[chosen]


def _extractive(given: Mapping[str, Any], name: str) -> dict[str, str] | None:
    """`extractive|count-3,threshold-0.7` as its parts; None when not asked for."""
    value = _string(given, name)
    if value is None or value == "none":
        return None
    if not _EXTRACTIVE.fullmatch(value):
        raise bad_parameter(f"'{value}' is not a valid value.", name)
    parts = (part.partition("-") for part in _names(value.partition("|")[2]))
    return {key: setting for key, _, setting in parts}
