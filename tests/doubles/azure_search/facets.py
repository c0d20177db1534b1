"""Hit count for each value of a field."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from tests.doubles.azure_search.definition import Definition
from tests.doubles.azure_search.errors import bad_parameter
from tests.doubles.azure_search.snapshot import Snapshot

_DEFAULT_COUNT = 10
_SORTS = ("count", "-count", "value", "-value")


def facets_of(wishes: list[str], snapshot: Snapshot, rows: Iterable[int]) -> dict[str, list[dict[str, Any]]]:
    """Count the facets by field. `interval` and `values` are not supported."""
    chosen = list(rows)
    found: dict[str, list[dict[str, Any]]] = {}
    for wish in wishes:
        name, settings = _read(wish, snapshot.definition)
        counted = Counter(value for row in chosen for value in _values(snapshot.rows[row].get(name)))
        found[name] = _sorted(counted, settings)
    return found


def _read(wish: str, definition: Definition) -> tuple[str, dict[str, str]]:
    name, *rest = (part.strip() for part in wish.split(","))
    if name not in definition.fields or not definition.fields[name].facetable:
        raise bad_parameter(f"The field '{name}' is not facetable or does not exist.", "facet")
    settings = {part.partition(":")[0]: part.partition(":")[2] for part in rest}
    valid = settings.keys() <= {"count", "sort"} and settings.get("sort", "count") in _SORTS
    if not valid or not (number := settings.get("count", "10")).isdecimal() or int(number) < 1:
        raise bad_parameter(f"The facet '{wish}' is not valid or not built here.", "facet")
    return name, settings


def _sorted(counted: Counter[Any], settings: dict[str, str]) -> list[dict[str, Any]]:
    sort = settings.get("sort", "count")
    pairs = sorted(counted.items(), key=lambda pair: pair[0], reverse=sort == "-value")
    if sort.endswith("count"):
        pairs.sort(key=lambda pair: pair[1], reverse=sort == "count")
    return [{"value": value, "count": count} for value, count in pairs[: int(settings.get("count", _DEFAULT_COUNT))]]


def _values(value: Any) -> set[Any]:
    return set(value) if isinstance(value, list) else {value} - {None}
