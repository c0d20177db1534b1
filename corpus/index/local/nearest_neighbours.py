"""The passages nearest to a question, and how much nearer than chance each is."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from corpus.embedding.protocol import Vectors
from corpus.index.local import kernel
from corpus.index.local.matrix import Matrix
from corpus.index.local.row_mask import RowMask
from corpus.index.local.visible_documents import UNKNOWN, Languages

PRIOR_PASSAGES = 20
"""The mean of so many passages in a language, and the deviation of so many in all, is believed by half: few passages
are on one subject, and one of them that answers is a good part of the deviation."""

PRIOR_DEVIATION = 0.02
"""What the deviation otherwise is: .021 with the packaged embedder, over every set that it was measured on."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """By row id of a block: its cosine, and its `nearness`, which is by how many standard deviations that is above the
    mean cosine of the passages in its language."""

    cosines: dict[int, float] = field(default_factory=dict)
    nearness: dict[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Chance:
    """What cosines are by chance: their means by number of language, at `UNKNOWN` that of all; and the deviation."""

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
    """The `count` nearest passages that may be found, and those of the blocks `also` that have a vector, which are
    taken to be visible. `by_language` (0..1) is how much of what an embedder gives to a language is taken back.

    A multilingual embedder puts a question nearer to passages of its own language than to those of another that say the
    same. The passages of each language are therefore compared with the mean of their own: mean-centring by language
    (Libovický, Rosa and Fraser 2020), here on the cosines of one question instead of on vectors.
    """
    near, rows = matrix.near(query, mask.rows if mask.few else None), mask.rows
    if rows is not None and not mask.few:
        near = near[rows]
    if not len(mask.sample):
        return Neighbours()
    chance = _chance(near[mask.sample], mask.languages, mask.sample, len(languages.numbers), by_language)
    if mask.languages is not None:
        near = near - chance.means.astype(np.float32)[mask.languages]
    if mask.offset is not None:
        near = near - mask.offset
    best = kernel.highest(near, count)
    if mask.offset is not None:
        best = best[mask.offset[best] == 0]
    found = np.union1d(best if rows is None else rows[best], matrix.rows_of(also))
    cosines = matrix.cosines(query, found)
    nearness = (cosines - chance.means[languages.of(matrix.docs[found])]) / chance.deviation
    blocks = matrix.blocks[found].tolist()
    return Neighbours(
        dict(zip(blocks, cosines.tolist(), strict=True)), dict(zip(blocks, nearness.tolist(), strict=True))
    )


def _chance(
    near: Vectors, languages: NDArray[np.int16] | None, sample: NDArray[np.intp], numbers: int, share: float
) -> _Chance:
    """From the cosines of a sample of the rows that `languages` are of."""
    mean, variance = float(near.mean(dtype=np.float64)), float(near.var(dtype=np.float64))
    doubt = PRIOR_PASSAGES / (len(near) + PRIOR_PASSAGES)
    deviation = math.sqrt(doubt * PRIOR_DEVIATION**2 + (1 - doubt) * variance)
    means = np.full(numbers + 1, mean)
    if languages is not None:
        counts = np.bincount(languages[sample], minlength=numbers + 1)
        own = np.bincount(languages[sample], weights=near, minlength=numbers + 1) / np.maximum(counts, 1)
        means += share * counts / (counts + PRIOR_PASSAGES) * (own - mean)
        means[UNKNOWN] = mean
    return _Chance(means, deviation)
