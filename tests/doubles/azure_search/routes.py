"""Mapping of a method and a path to an operation."""

from __future__ import annotations

import re
from dataclasses import dataclass

_QUOTED = r"\('((?:[^']|'')*)'\)"
_ROUTES = [
    (method, re.compile(pattern), operation)
    for method, pattern, operation in (
        ("GET", r"/servicestats", "service_stats"),
        ("GET", r"/indexes", "list_indexes"),
        ("POST", r"/indexes", "create_index"),
        ("GET", rf"/indexes{_QUOTED}", "get_index"),
        ("PUT", rf"/indexes{_QUOTED}", "put_index"),
        ("DELETE", rf"/indexes{_QUOTED}", "delete_index"),
        ("GET", rf"/indexes{_QUOTED}/search\.stats", "index_stats"),
        ("POST", rf"/indexes{_QUOTED}/docs/search\.post\.search", "search"),
        ("POST", rf"/indexes{_QUOTED}/docs/search\.index", "batch"),
        ("GET", rf"/indexes{_QUOTED}/docs/\$count", "count"),
        ("GET", rf"/indexes{_QUOTED}/docs{_QUOTED}", "lookup"),
        ("GET", rf"/knowledgebases{_QUOTED}", "get_knowledge_base"),
        ("GET", rf"/knowledgesources{_QUOTED}", "get_knowledge_source"),
        ("POST", rf"/knowledgebases{_QUOTED}/retrieve", "retrieve"),
    )
]


@dataclass(frozen=True)
class Route:
    operation: str
    index: str | None = None
    key: str | None = None


def route_of(method: str, path: str) -> Route:
    for expected, pattern, operation in _ROUTES:
        found = pattern.fullmatch(path) if method == expected else None
        if found:
            return Route(operation, *(name.replace("''", "'") for name in found.groups()))
    return Route("unknown")
