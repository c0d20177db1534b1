"""The rows of a matrix that a search may find, made ready for a scan and cached while neither they nor it change."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corpus.embedding.protocol import Vectors
from corpus.filters import Filters
from corpus.index.local.caches import LRUCache
from corpus.index.local.kernel import Codes, Scales
from corpus.index.local.matrix import Matrix
from corpus.index.local.rows import KINDS
from corpus.index.local.visible_documents import Languages, VisibleDocuments

FEW = 0.25
"""Share of the rows below which copying the visible ones and scanning those is cheaper than scanning all."""

BEYOND = 4.0
"""More than any two cosines differ by."""

MAX_SAMPLE = 20_000
"""Rows from which the cosine of chance is told: the error of their mean is below 0.01 standard deviations."""

CACHED = 4
"""Masks of one matrix; each has up to ten bytes a row."""


@dataclass(frozen=True, slots=True)
class RowMask:
    """Either all rows; or these `rows`, ascending, which with `few` are copied out before the scan; or those for which
    `offset` is 0 and not `BEYOND`: to add a column is much faster than to pick from one.

    `sample` are places among the scanned rows, `sample_codes` their codes where the others may not be looked at;
    `languages` the number of the language of each scanned row, where there are several."""

    rows: NDArray[np.intp] | None
    few: bool
    offset: Vectors | None
    sample: NDArray[np.intp]
    sample_codes: tuple[Codes, Scales] | None
    languages: NDArray[np.int16] | None


def row_mask(matrix: Matrix, visible: VisibleDocuments, filters: Filters, languages: Languages) -> RowMask:
    rows, offset, few = None, None, False
    mask = _mask(matrix, visible, filters)
    if mask is not None:
        few = bool(np.count_nonzero(mask) < FEW * len(mask))
        if few or languages.several:
            rows = np.flatnonzero(mask)
        else:
            offset = np.where(mask, np.float32(0), np.float32(BEYOND))
    scales = matrix.columns.scales if rows is None else matrix.columns.scales[rows]
    sample = _sample(scales, np.arange(len(scales)) if offset is None else np.flatnonzero(offset == 0))
    docs = matrix.docs if rows is None else matrix.docs[rows]
    codes = None
    if matrix.coarse and not few:
        codes = matrix.codes_of(sample if rows is None else rows[sample])
    return RowMask(rows, few, offset, sample, codes, languages.of(docs) if languages.several else None)


def _mask(matrix: Matrix, visible: VisibleDocuments, filters: Filters) -> NDArray[np.bool_] | None:
    """None for all rows."""
    if visible.everything and not matrix.dead and not (filters.page_number or filters.block_type):
        return None
    mask = visible.among(matrix.docs)
    if filters.page_number:
        mask &= np.isin(matrix.pages, filters.page_number)
    if filters.block_type:
        mask &= np.isin(matrix.kinds, [KINDS[kind] for kind in filters.block_type])
    return mask


def _sample(scales: NDArray[np.float32], places: NDArray[np.intp]) -> NDArray[np.intp]:
    """Of these places about `MAX_SAMPLE`, chosen by the vectors themselves, so that the order of ingestion does not
    change which."""
    keep = -(-len(places) // MAX_SAMPLE)
    if keep <= 1:
        return places
    digits = np.ascontiguousarray(scales[places]).view(np.uint32) * np.uint32(2_654_435_761) >> np.uint32(8)
    chosen: NDArray[np.intp] = places[digits % np.uint32(keep) == 0]
    return chosen


class RowMasks:
    """Those of the matrix that was asked for last."""

    def __init__(self) -> None:
        self._cached: tuple[Matrix, LRUCache[RowMask]] | None = None

    def of(self, matrix: Matrix, key: Hashable, compute: Callable[[], RowMask]) -> RowMask:
        cached = self._cached
        if cached is None or cached[0] is not matrix:
            cached = self._cached = (matrix, LRUCache(CACHED))
        return cached[1].of(key, compute)

    def close(self) -> None:
        self._cached = None
