"""Vector queries, and the ranked list of rows for each of their fields."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from tests.doubles.azure_search.definition import Definition
from tests.doubles.azure_search.errors import bad_parameter
from tests.doubles.azure_search.ranking import Ranked, best_first
from tests.doubles.azure_search.snapshot import Mask, Snapshot

Vectorize = Callable[[str], list[float]]
_DEFAULT_K = 50
_MAX_K = 10_000
_MAX_FIELDS = 10
_MAX_QUERIES = 10


class VectorQueries:
    """All vector queries of a search. They share its filter."""

    def __init__(self, given: Any, snapshot: Snapshot, vectorize: Vectorize | None) -> None:
        if (
            not isinstance(given, list)
            or len(given) > _MAX_QUERIES
            or not all(isinstance(one, Mapping) for one in given)
        ):
            raise bad_parameter("'vectorQueries' must be a list of at most 10 objects.", "vectorQueries")
        self._snapshot = snapshot
        self._queries = [_Query(one, snapshot.definition, vectorize) for one in given]

    def lists(self, passing: Mask, mode: str, rng: np.random.Generator) -> Iterator[Ranked]:
        """Return one list for each field. Rows are filtered before the nearest are selected, or afterwards, and then
        fewer may remain."""
        for query in self._queries:
            for name in query.fields:
                vectors = self._snapshot.vectors(name)
                asked = vectors.having & passing if mode == "preFilter" else vectors.having
                nearest = best_first(vectors.scores(query.vector), asked, rng, query.k)
                if mode != "preFilter":
                    nearest = nearest.only(passing)
                yield nearest.weighing(query.weight)

    def closeness(self) -> np.ndarray[Any, np.dtype[np.float64]] | None:
        """Return each row's best score over all queries; None without queries."""
        scores = [self._snapshot.vectors(name).scores(one.vector) for one in self._queries for name in one.fields]
        return np.max(scores, axis=0) if scores else None


class _Query:
    def __init__(self, given: Mapping[str, Any], definition: Definition, vectorize: Vectorize | None) -> None:
        self.fields = _fields(given.get("fields"), definition)
        self.k = _DEFAULT_K if (k := given.get("k")) is None else k
        if not isinstance(self.k, int) or isinstance(self.k, bool) or not 1 <= self.k <= _MAX_K:
            raise bad_parameter(f"'k' must be between 1 and {_MAX_K}.", "vectorQueries")
        self.weight = 1.0 if (weight := given.get("weight")) is None else weight
        if not isinstance(self.weight, int | float) or self.weight <= 0:
            raise bad_parameter("'weight' must be greater than 0.", "vectorQueries")
        self.vector = self._vector(given, definition, vectorize)
        for name in self.fields:
            wanted = definition.fields[name].dimensions
            if len(self.vector) != wanted:
                reason = f"The vector field '{name}' has {wanted} dimensions, the query has {len(self.vector)}."
                raise bad_parameter(reason, "vectorQueries")

    def _vector(self, given: Mapping[str, Any], definition: Definition, vectorize: Vectorize | None) -> list[float]:
        kind = given.get("kind")
        vector = given.get("vector")
        if kind == "vector" and isinstance(vector, list) and _is_vector(vector):
            return vector
        if kind != "text" or not isinstance(given.get("text"), str):
            raise bad_parameter("A vector query needs a kind (vector, text) and a vector or text.", "vectorQueries")
        for name in self.fields:
            if name not in definition.vectorized or vectorize is None:
                raise bad_parameter(f"The field '{name}' has no vectorizer.", "vectorQueries")
        assert vectorize
        return vectorize(given["text"])


def _fields(names: Any, definition: Definition) -> list[str]:
    fields = [name.strip() for name in names.split(",") if name.strip()] if isinstance(names, str) else []
    if not 1 <= len(fields) <= _MAX_FIELDS:
        raise bad_parameter("A vector query needs 1 to 10 fields.", "vectorQueries")
    for name in fields:
        if name not in definition.metrics:
            raise bad_parameter(f"'{name}' is not a vector field.", "vectorQueries")
    return fields


def _is_vector(vector: list[Any]) -> bool:
    return all(isinstance(one, int | float) and not isinstance(one, bool) for one in vector)
