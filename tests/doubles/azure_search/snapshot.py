"""The state of an index at one moment, with cached derived data that many searches use."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.doubles.azure_search.definition import Definition
from tests.doubles.azure_search.inverted import FieldWords
from tests.doubles.azure_search.odata import compiled
from tests.doubles.azure_search.vectors import FieldVectors
from tests.doubles.azure_search.words import standard_terms, terms_of

Mask = npt.NDArray[np.bool_]
_KEPT_FILTERS = 64


class Snapshot:
    """A snapshot of an index. Its rows do not change. The number of a row is its position in `rows`."""

    def __init__(self, definition: Definition, rows: Mapping[str, dict[str, Any]]) -> None:
        self.definition = definition
        self.keys = list(rows)
        self.rows = list(rows.values())
        self.size = len(self.rows)
        self.passing = lru_cache(maxsize=_KEPT_FILTERS)(self._passing)
        """Rows that pass a filter (None: all). It must not be changed."""
        self.bag = cache(self._bag)
        """Terms of a row in some fields, by the standard analyzer."""
        self._words: dict[str, FieldWords] = {}
        self._vectors: dict[str, FieldVectors] = {}

    def _passing(self, filter_text: str | None) -> Mask:
        if filter_text is None or not filter_text.strip():
            return np.ones(self.size, dtype=bool)
        passes = compiled(filter_text, self.definition)
        return np.fromiter((passes(row) for row in self.rows), dtype=bool, count=self.size)

    def texts(self, row: int, names: tuple[str, ...]) -> list[str]:
        """Return the texts of some fields of a row; each item of a collection is separate."""
        values = (self.rows[row].get(name) for name in names)
        return [text for value in values for text in (value if isinstance(value, list) else [value]) if text]

    def _bag(self, row: int, names: tuple[str, ...]) -> frozenset[str]:
        return frozenset(term for text in self.texts(row, names) for term in standard_terms(text))

    def words(self, name: str) -> FieldWords:
        if name not in self._words:
            analyzer = self.definition.fields[name].index_analyzer
            values = [row.get(name) for row in self.rows]
            self._words[name] = FieldWords(values, lambda text: terms_of(text, analyzer))
        return self._words[name]

    def query_terms(self, name: str, text: str) -> list[str]:
        return terms_of(text, self.definition.fields[name].search_analyzer)

    def vectors(self, name: str) -> FieldVectors:
        if name not in self._vectors:
            metric = self.definition.metrics[name]
            self._vectors[name] = FieldVectors([row.get(name) for row in self.rows], metric)
        return self._vectors[name]
