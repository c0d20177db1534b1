"""Sort order of a search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.doubles.azure_search.definition import Definition
from tests.doubles.azure_search.errors import bad_parameter
from tests.doubles.azure_search.odata_values import readable
from tests.doubles.azure_search.snapshot import Snapshot
from tests.doubles.azure_search.vectors import Scores

_MAX_KEYS = 32
SCORE = "search.score()"


@dataclass(frozen=True)
class Key:
    name: str
    """A sortable field, or `search.score()`."""
    descending: bool


def read_order(text: str | None, definition: Definition) -> list[Key]:
    keys = [_key(part.split(), definition, text) for part in (text or "").split(",") if text and text.strip()]
    if len(keys) > _MAX_KEYS:
        raise bad_parameter(f"More than {_MAX_KEYS} clauses.", "$orderby")
    return keys


def _key(words: list[str], definition: Definition, text: str | None) -> Key:
    if not words or len(words) > 2 or words[1:] not in ([], ["asc"], ["desc"]):
        raise bad_parameter(f"Invalid expression: Syntax error in '{text}'.", "$orderby")
    field = definition.fields.get(words[0])
    if words[0] != SCORE and field is None:
        raise bad_parameter(f"Could not find a property named '{words[0]}' on type 'search.document'.", "$orderby")
    if field is not None and not field.sortable:
        raise bad_parameter(f"The field '{words[0]}' is not sortable.", "$orderby")
    return Key(words[0], words[1:] == ["desc"])


def ordered(rows: list[int], keys: list[Key], snapshot: Snapshot, scores: Scores) -> list[int]:
    """Sort rows by the keys. The sort is stable."""
    for key in reversed(keys):
        rows = sorted(rows, key=_value(key, snapshot, scores), reverse=key.descending)
    return rows


def _value(key: Key, snapshot: Snapshot, scores: Scores) -> Callable[[int], Any]:
    if key.name == SCORE:
        return lambda row: float(scores[row])
    get = readable(snapshot.definition.fields[key.name], lambda row: snapshot.rows[row].get(key.name))

    def value(row: int) -> tuple[bool, Any]:
        # Null is lowest: first in ascending order, last in descending order.
        found = get(row)
        return (False, 0) if found is None else (True, found)

    return value
