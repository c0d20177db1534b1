"""Nearest neighbours of a question among the visible rows, and how far each cosine is above chance."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from corpus.embedding.protocol import Vectors
from corpus.filters import Filters
from corpus.index.local.documents_and_blocks import KINDS
from corpus.index.local.vectors import kernel
from corpus.index.local.vectors.kernel import Codes, Scales
from corpus.index.local.vectors.matrix import Matrix
from corpus.index.local.visible_documents import UNKNOWN, Languages, VisibleDocuments
from corpus.processes.lru_cache import LRUCache

FEW = 0.25
"""If the fraction of visible rows is smaller than this, scanning a copy of them is cheaper than scanning all rows."""

BEYOND = 4.0
"""A number greater than the difference of any two cosines."""

MAX_SAMPLE = 20_000
"""Maximum number of rows from which the distribution of chance cosines is estimated. With that many, the error of the
mean is less than 0.01 standard deviations."""

CACHED = 4
"""Number of masks cached per matrix. A mask needs up to ten bytes per row."""


@dataclass(frozen=True, slots=True)
class RowMask:
    """The rows to scan. If `rows` and `offset` are None, these are all rows. Otherwise one of the two is set. `rows`
    lists the visible rows in ascending order; if `few`, they are copied before the scan. `offset` is 0 for each visible
    row and `BEYOND` for the others, because subtracting a column is much faster than selecting rows.

    `sample` contains positions among the scanned rows. `sample_codes` contains the codes of the sample, for scans that
    read only the shortlist. `languages` contains the language number of each scanned row if there are several
    languages.
    """

    rows: NDArray[np.intp] | None
    few: bool
    offset: Vectors | None
    sample: NDArray[np.intp]
    sample_codes: tuple[Codes, Scales] | None
    languages: NDArray[np.int16] | None


def row_mask(matrix: Matrix, visible: VisibleDocuments, filters: Filters, languages: Languages) -> RowMask:
    """Return the mask of the rows of visible documents that pass the filters on blocks."""
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
    docs = matrix.columns.docs if rows is None else matrix.columns.docs[rows]
    codes = None
    if matrix.coarse and not few:
        codes = matrix.codes_of(sample if rows is None else rows[sample])
    return RowMask(rows, few, offset, sample, codes, languages.of(docs) if languages.several else None)


def _mask(matrix: Matrix, visible: VisibleDocuments, filters: Filters) -> NDArray[np.bool_] | None:
    """Return the mask, or None if all rows are visible."""
    if visible.everything and not matrix.dead and not (filters.page_number or filters.block_type):
        return None
    mask = visible.among(matrix.columns.docs)
    if filters.page_number:
        mask &= np.isin(matrix.columns.pages, filters.page_number)
    if filters.block_type:
        mask &= np.isin(matrix.columns.kinds, [KINDS[kind] for kind in filters.block_type])
    return mask


def _sample(scales: NDArray[np.float32], places: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return about `MAX_SAMPLE` of these rows, selected by a hash of their scales, so that the selection does not
    depend on the order of ingestion."""
    keep = -(-len(places) // MAX_SAMPLE)
    if keep <= 1:
        return places
    digits = np.ascontiguousarray(scales[places]).view(np.uint32) * np.uint32(2_654_435_761) >> np.uint32(8)
    chosen: NDArray[np.intp] = places[digits % np.uint32(keep) == 0]
    return chosen


class RowMasks:
    """A cache of masks for the matrix that was last requested."""

    def __init__(self) -> None:
        self._cached: tuple[Matrix, LRUCache[RowMask]] | None = None

    def of(self, matrix: Matrix, key: Hashable, compute: Callable[[], RowMask]) -> RowMask:
        """Return the mask for this matrix and key."""
        cached = self._cached
        if cached is None or cached[0] is not matrix:
            cached = self._cached = (matrix, LRUCache(CACHED))
        return cached[1].of(key, compute)

    def close(self) -> None:
        """Drop all masks and the matrix."""
        self._cached = None


PRIOR_PASSAGES = 20
"""Weight of the prior, in passages. With this many passages, the observed mean and deviation have the same weight as
the prior ones. The prior is needed because a few passages often share one subject, and a passage with the answer
accounts for much of their deviation."""

PRIOR_DEVIATION = 0.02
"""Prior for the standard deviation of cosines. With the packaged embedder, it is 0.021 over every bench set."""

SHORTLIST_FRACTION, MIN_SHORTLIST = 100, 2_000
"""Fraction (one in 100) and minimum number of rows in the shortlist, which contains the best rows by product codes and
is scanned in full. With a million realistic vectors, six in 100,000 of the hundred nearest rows were missing from the
shortlist of 10,000."""

ERRORS = 3.0
"""Minimum margin, in standard deviations of the product code error, by which the last neighbour must be nearer than the
last row of the shortlist. One in 700 rows outside the shortlist has an error larger than that."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Cosines and nearness, by the row id of the block. Nearness is the number of standard deviations by which the
    cosine exceeds the mean over passages in the same language."""

    cosines: dict[int, float] = field(default_factory=dict)
    nearness: dict[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Chance:
    """Distribution of chance cosines: the mean per language number, with the overall mean at `UNKNOWN`, and the
    standard deviation."""

    means: NDArray[np.float64]
    deviation: float


def nearest(
    matrix: Matrix,
    mask: RowMask,
    languages: Languages,
    query: Vectors,
    count: int,
    also: Collection[int],
    by_language: float,
) -> Neighbours:
    """Return the `count` nearest visible passages, and the blocks in `also` (which must be visible) that have a vector.

    Multilingual embedders place a question nearer to passages in its own language than to equivalent passages in
    another. Cosines are therefore mean-centred per language, to the degree `by_language` (0..1). This follows
    Libovický, Rosa and Fraser (2020), who centre the vectors.
    """
    if not len(mask.sample):
        return Neighbours()
    scan = _Scan(matrix, mask, len(languages.numbers), query, count, by_language)
    chance, best = scan.of_shortlist() or scan.of_all()
    rows = np.union1d(best, matrix.rows_of(also))
    cosines = kernel.cosines(query, *matrix.codes_of(rows))
    nearness = (cosines - chance.means[languages.of(matrix.columns.docs[rows])]) / chance.deviation
    blocks = matrix.columns.blocks[rows].tolist()
    return Neighbours(
        dict(zip(blocks, cosines.tolist(), strict=True)), dict(zip(blocks, nearness.tolist(), strict=True))
    )


@dataclass(frozen=True, slots=True)
class _Scan:
    """Estimates the distribution of chance cosines and finds the nearest rows, among all rows or in the shortlist."""

    matrix: Matrix
    mask: RowMask
    numbers: int
    query: Vectors
    count: int
    by_language: float

    def of_all(self) -> tuple[_Chance, NDArray[np.intp]]:
        mask, rows = self.mask, self.mask.rows
        near = self.matrix.near(self.query, rows if mask.few else None)
        if rows is not None and not mask.few:
            near = near[rows]
        chance = self._chance(near[mask.sample])
        if mask.languages is not None:
            near = near - chance.means.astype(np.float32)[mask.languages]
        if mask.offset is not None:
            near = near - mask.offset
        best = kernel.highest(near, self.count)
        if mask.offset is not None:
            best = best[mask.offset[best] == 0]
        return chance, best if rows is None else rows[best]

    def of_shortlist(self) -> tuple[_Chance, NDArray[np.intp]] | None:
        """Scan the shortlist. Return None if there are no product codes, or if a row outside the shortlist may be among
        the nearest. That can happen if there are many hidden passages on the subject, or passages in a language far
        from the question's."""
        matrix, mask = self.matrix, self.mask
        if matrix.coarse is None or mask.sample_codes is None:
            return None
        old = len(matrix.base)
        rows, coarse = matrix.coarse.nearest(self.query, max(MIN_SHORTLIST, old // SHORTLIST_FRACTION))
        rows = np.concatenate([rows, np.arange(old, len(matrix.columns.blocks))])
        near = matrix.near(self.query, rows)
        errors = near[: len(coarse)] - coarse
        bound = float(coarse.min() + errors.mean() + ERRORS * errors.std())
        chance = self._chance(kernel.similarities(self.query, *mask.sample_codes))
        places = rows
        if mask.rows is not None:
            places = np.searchsorted(mask.rows, rows)
            visible = mask.rows[np.minimum(places, len(mask.rows) - 1)] == rows
            rows, near, places = rows[visible], near[visible], places[visible]
        if mask.languages is not None:
            near = near - chance.means.astype(np.float32)[mask.languages[places]]
            bound -= float(chance.means.min())
        if mask.offset is not None:
            near = near - mask.offset[rows]
        if len(near) < self.count:
            return None
        best = kernel.highest(near, self.count)
        return (chance, rows[best]) if near[best].min() > bound else None

    def _chance(self, near: Vectors) -> _Chance:
        """Estimate the distribution of chance cosines from those of the sample."""
        languages, numbers = self.mask.languages, self.numbers
        mean, variance = float(near.mean(dtype=np.float64)), float(near.var(dtype=np.float64))
        doubt = PRIOR_PASSAGES / (len(near) + PRIOR_PASSAGES)
        deviation = math.sqrt(doubt * PRIOR_DEVIATION**2 + (1 - doubt) * variance)
        means = np.full(numbers + 1, mean)
        if languages is not None:
            spoken = languages[self.mask.sample]
            counts = np.bincount(spoken, minlength=numbers + 1)
            own = np.bincount(spoken, weights=near, minlength=numbers + 1) / np.maximum(counts, 1)
            means += self.by_language * counts / (counts + PRIOR_PASSAGES) * (own - mean)
            means[UNKNOWN] = mean
        return _Chance(means, deviation)
