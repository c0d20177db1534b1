"""Columns that answer by the row id of a document, in memory; the last place stands for no document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

AMONG = "documents.id IN (SELECT value FROM json_each(?))"
"""Holds for the documents whose row ids follow as a JSON list."""


def by_document(
    known: NDArray[Any] | None, changed: Sequence[int], last: int, kind: np.dtype[Any]
) -> NDArray[Any]:
    """A column for row ids up to `last`: of zeros, but for what is `known` of documents that did not change."""
    if known is None:
        return np.zeros(last + 2, dtype=kind)
    column = np.zeros(max(last + 2, len(known)), dtype=kind)
    column[: len(known) - 1] = known[:-1]
    column[[doc for doc in changed if doc < len(column)]] = 0
    return column
