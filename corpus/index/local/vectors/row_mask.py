"""The matrix rows that a search may return, prepared for a scan and cached until rows or visibility change."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corpus.embedding.protocol import Vectors
from corpus.filters import Filters
from corpus.index.local.database.rows import KINDS
from corpus.index.local.vectors.kernel import Codes, Scales
from corpus.index.local.vectors.matrix import Matrix
from corpus.index.local.visible_documents import Languages, VisibleDocuments
from corpus.processes.lru_cache import LRUCache

FEW = 0.25
"""Below this share of visible rows, copying them out and scanning the copy is cheaper than scanning all."""

BEYOND = 4.0
"""Exceeds the difference of any two cosines."""

MAX_SAMPLE = 20_000
"""Rows from which chance is estimated. The error of their mean is below 0.01 standard deviations."""

CACHED = 4
"""Masks per matrix; each takes up to ten bytes a row."""


@dataclass(frozen=True, slots=True)
class RowMask:
    """All rows; or ascending `rows`, which with `few` are copied out before the scan; or an `offset` per row, 0 for
    visible rows and `BEYOND` for others, since adding a column is much faster than picking from one.

    `sample` are indexes among the scanned rows, `sample_codes` their codes where other rows may not be read,
    `languages` the language number of each scanned row where there are several.
    """

    rows: NDArray[np.intp] | None
    few: bool
    offset: Vectors | None
    sample: NDArray[np.intp]
    sample_codes: tuple[Codes, Scales] | None
    languages: NDArray[np.int16] | None


def row_mask(matrix: Matrix, visible: VisibleDocuments, filters: Filters, languages: Languages) -> RowMask:
    """The mask of the rows of visible documents that pass the filters on blocks."""
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
    """None when all rows are visible."""
    if visible.everything and not matrix.dead and not (filters.page_number or filters.block_type):
        return None
    mask = visible.among(matrix.docs)
    if filters.page_number:
        mask &= np.isin(matrix.pages, filters.page_number)
    if filters.block_type:
        mask &= np.isin(matrix.kinds, [KINDS[kind] for kind in filters.block_type])
    return mask


def _sample(scales: NDArray[np.float32], places: NDArray[np.intp]) -> NDArray[np.intp]:
    """About `MAX_SAMPLE` of these rows, chosen by a hash of their scales so that the order of ingestion does not
    matter."""
    keep = -(-len(places) // MAX_SAMPLE)
    if keep <= 1:
        return places
    digits = np.ascontiguousarray(scales[places]).view(np.uint32) * np.uint32(2_654_435_761) >> np.uint32(8)
    chosen: NDArray[np.intp] = places[digits % np.uint32(keep) == 0]
    return chosen


class RowMasks:
    """Masks of the matrix asked for last."""

    def __init__(self) -> None:
        self._cached: tuple[Matrix, LRUCache[RowMask]] | None = None

    def of(self, matrix: Matrix, key: Hashable, compute: Callable[[], RowMask]) -> RowMask:
        """The mask for this matrix and key."""
        cached = self._cached
        if cached is None or cached[0] is not matrix:
            cached = self._cached = (matrix, LRUCache(CACHED))
        return cached[1].of(key, compute)

    def close(self) -> None:
        """Drop all masks and the matrix."""
        self._cached = None
