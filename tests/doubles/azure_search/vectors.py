"""Vectors of one field, all compared with each query."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float64]


class FieldVectors:
    """Vectors of a field. `having` marks the rows that have a vector."""

    def __init__(self, values: Sequence[Sequence[float] | None], metric: str) -> None:
        self.having = np.fromiter((value is not None for value in values), dtype=bool, count=len(values))
        self._metric = metric
        self._rows = np.flatnonzero(self.having)
        vectors = [value for value in values if value is not None]
        self._matrix = np.asarray(vectors, dtype=np.float32) if vectors else np.zeros((0, 0), dtype=np.float32)
        if metric == "cosine":
            self._matrix = _unit(self._matrix)

    def scores(self, vector: Sequence[float]) -> Scores:
        """Return each row's score as the service computes it; 0 for a row without a vector."""
        scores = np.zeros(len(self.having))
        if len(self._rows):
            scores[self._rows] = self._scores(np.asarray(vector, dtype=np.float32))
        return scores

    def _scores(self, query: npt.NDArray[np.float32]) -> Scores:
        if self._metric == "euclidean":
            distances: Scores = np.linalg.norm(self._matrix - query, axis=1).astype(np.float64)
            return 1 / (1 + distances)
        if self._metric == "dotProduct":
            # The service never returns a negative product. For this metric only the order is guaranteed.
            products: Scores = (self._matrix @ query).astype(np.float64)
            return 1 / (1 + np.exp(-products))
        cosine: Scores = (self._matrix @ _unit(query[None, :])[0]).astype(np.float64)
        return 1 / (2 - np.clip(cosine, -1, 1))


def _unit(matrix: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True).astype(np.float32)
    unit: npt.NDArray[np.float32] = np.divide(matrix, np.maximum(lengths, np.float32(1e-30)), dtype=np.float32)
    return unit
