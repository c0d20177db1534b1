"""Which rows of a matrix a search may find, made ready for a scan, and remembered while neither they nor it change."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corpus.embedding.protocol import Vectors
from corpus.filters import Filters
from corpus.index.local.allowed import Allowed
from corpus.index.local.caches import LRUCache as Recent
from corpus.index.local.favour import Languages
from corpus.index.local.matrix import Matrix
from corpus.index.local.rows import KINDS

NARROW = 0.25
"""Share of the rows below which copying the allowed ones and scanning those is cheaper than scanning all."""

BEYOND = 4.0
"""More than any two cosines differ by."""

KEPT = 4
"""Of one matrix; each has up to ten bytes a row."""


@dataclass(frozen=True, slots=True)
class Within:
    """Either all rows; or these `rows`, ascending, which with `few` are copied out before the scan; or those for which
    `offset` is 0 and not `BEYOND`: to add a column is much faster than to pick from one. `spoken` is the number of the
    language of each row that may be found, where there are several."""

    rows: NDArray[np.intp] | None = None
    few: bool = False
    offset: Vectors | None = None
    spoken: NDArray[np.int16] | None = None


def within(matrix: Matrix, allowed: Allowed, filters: Filters, languages: Languages) -> Within:
    rows, offset, few = None, None, False
    mask = _mask(matrix, allowed, filters)
    if mask is not None:
        few = bool(np.count_nonzero(mask) < NARROW * len(mask))
        if few or languages.several:
            rows = np.flatnonzero(mask)
        else:
            offset = np.where(mask, np.float32(0), np.float32(BEYOND))
    docs = matrix.docs if rows is None else matrix.docs[rows]
    return Within(rows, few, offset, languages.of(docs) if languages.several else None)


def _mask(matrix: Matrix, allowed: Allowed, filters: Filters) -> NDArray[np.bool_] | None:
    """None for all rows."""
    if allowed.everything and not matrix.dead and not (filters.page_number or filters.block_type):
        return None
    mask = allowed.among(matrix.docs)
    if filters.page_number:
        mask &= np.isin(matrix.pages, filters.page_number)
    if filters.block_type:
        mask &= np.isin(matrix.kinds, [KINDS[kind] for kind in filters.block_type])
    return mask


class HeldWithin:
    """Those of the matrix that was asked for last."""

    def __init__(self) -> None:
        self._held: tuple[Matrix, Recent[Within]] | None = None

    def of(self, matrix: Matrix, key: Hashable, compute: Callable[[], Within]) -> Within:
        held = self._held
        if held is None or held[0] is not matrix:
            held = self._held = (matrix, Recent(KEPT))
        return held[1].of(key, compute)

    def close(self) -> None:
        self._held = None
