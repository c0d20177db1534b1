"""Options of a search, read and checked against the index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.doubles.azure_search.definition import Definition, Semantic
from tests.doubles.azure_search.errors import bad_parameter
from tests.doubles.azure_search.order import Key, read_order
from tests.doubles.azure_search.parameters import (
    extractive,
    facet_list,
    search_fields,
    selected,
    semantic_of,
    string,
    weights_of,
    whole,
)

PAGE, MAX_PAGE, MAX_SKIP = 50, 1000, 100_000
_MAX_TEXT = 100_000
_KNOWN = """
answers captions count debug facets filter minimumCoverage orderby queryType scoringProfile scoringStatistics search
searchFields searchMode select semanticConfiguration semanticErrorHandling semanticMaxWaitInMilliseconds semanticQuery
sessionId skip top vectorFilterMode vectorQueries
"""
_CHOICES = {
    "queryType": ("simple", "full", "semantic"),
    "searchMode": ("any", "all"),
    "vectorFilterMode": ("preFilter", "postFilter", "strictPostFilter"),
    "semanticErrorHandling": ("partial", "fail"),
}


@dataclass(frozen=True)
class Options:
    text: str | None
    """Search text; None for a search without words."""
    fields: list[str]
    """Fields that the words are searched in."""
    weights: dict[str, float]
    filter: str | None
    query_type: str
    every: bool
    """True if all words are required."""
    filter_mode: str
    order: list[Key]
    select: list[str]
    """Returned fields, in the order of the index."""
    skip: int
    top: int | None
    count: bool
    facets: list[str]
    semantic: Semantic | None
    semantic_query: str | None
    fails_whole: bool
    """True if the search fails without the ranker."""
    captions: dict[str, str] | None
    answers: dict[str, str] | None


def read_options(body: Mapping[str, Any], definition: Definition) -> Options:
    given = {name: value for name, value in body.items() if value is not None}
    for name in given.keys() - set(_KNOWN.split()):
        raise bad_parameter(f"The parameter '{name}' is not known or not built here.", name)
    for name, choices in _CHOICES.items():
        if given.get(name, choices[0]) not in choices:
            raise bad_parameter(f"'{given[name]}' is not one of {', '.join(choices)}.", name)
    text = string(given, "search")
    if len(text or "") > _MAX_TEXT:
        raise bad_parameter("The search text is longer than 100000 characters.", "search")
    order = read_order(string(given, "orderby"), definition)
    semantic = semantic_of(given, definition)
    if semantic and order:
        raise bad_parameter("orderby cannot be used with the semantic ranker.", "orderby")
    return Options(
        text=text if text and text.strip() else None,
        fields=search_fields(string(given, "searchFields"), definition),
        weights=weights_of(string(given, "scoringProfile"), definition),
        filter=string(given, "filter"),
        query_type=given.get("queryType", "simple"),
        every=given.get("searchMode") == "all",
        filter_mode=given.get("vectorFilterMode", "preFilter"),
        order=order,
        select=selected(string(given, "select"), definition),
        skip=whole(given, "skip", MAX_SKIP) or 0,
        top=whole(given, "top", 2**31 - 1),
        count=given.get("count") is True,
        facets=facet_list(given.get("facets")),
        semantic=semantic,
        semantic_query=string(given, "semanticQuery"),
        fails_whole=given.get("semanticErrorHandling") == "fail",
        captions=extractive(given, "captions"),
        answers=extractive(given, "answers"),
    )
