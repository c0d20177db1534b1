"""The nearest of the rows that may be found: about their cosines, evened out where there are several languages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corpus.embedding.protocol import Vectors
from corpus.index.local import favour, kernel
from corpus.index.local.matrix import Matrix
from corpus.index.local.ranking import Ranking
from corpus.index.local.within import Within


@dataclass(frozen=True, slots=True)
class Near:
    """Row ids of the nearest blocks, in no order; about the lowest cosine of all that may be found, None where there
    are none; and what is `added` to a cosine, by number of language."""

    blocks: list[int]
    lowest: float | None
    added: Vectors | None


def nearest(matrix: Matrix, within: Within, query: Vectors, count: int, ranking: Ranking) -> Near:
    """At most `count` of them."""
    near, rows = matrix.near(query, within.rows if within.few else None), within.rows
    if rows is not None and not within.few:
        near = near[rows]
    if not len(near):
        return Near([], None, None)
    if within.offset is not None:
        return _of_those_allowed(matrix, near, within.offset, count)
    added = None
    if within.spoken is not None:
        added = favour.corrections(near, within.spoken, ranking.evened, ranking.doubt)
        near = near if added is None else near + added[within.spoken]
    best = kernel.highest(near, count)
    return Near(_blocks(matrix, best if rows is None else rows[best]), float(near.min()), added)


def _of_those_allowed(matrix: Matrix, near: Vectors, offset: Vectors, count: int) -> Near:
    best = kernel.highest(near - offset, count)
    allowed = best[offset[best] == 0]
    return Near(_blocks(matrix, allowed), float((near + offset).min()), None)


def _blocks(matrix: Matrix, rows: NDArray[np.intp]) -> list[int]:
    found: list[int] = matrix.blocks[rows].tolist()
    return found
