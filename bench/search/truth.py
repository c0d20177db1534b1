"""The right results of a search, and the forbidden ones, computed without the index: float32 products with every
vector."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bench.blocks import BLOCKS_A_DOCUMENT, Source, document_of
from corpus.access import Caller, may_read
from corpus.embedding.protocol import Vectors
from corpus.filters import Filters
from corpus.search import SearchResult

_HALVES = 5e-5
"""Maximum error in the difference between two cosines if vectors have half precision, as in an index."""


class Truth:
    """Ground truth for a set of blocks; one row per block, in document order."""

    def __init__(self, source: Source) -> None:
        self.documents = source.blocks // BLOCKS_A_DOCUMENT
        self.matrix = np.concatenate([source.vectors_of(n) for n in range(self.documents)])

    def allowed(self, caller: Caller, filters: Filters) -> NDArray[np.bool_]:
        """Return, for each document, whether it may be found."""
        documents = map(document_of, range(self.documents))
        return np.array(
            [
                may_read(one.access_control_list, caller, prefixed=True)
                and (not filters.department or one.department in filters.department)
                and (filters.uploaded_after is None or one.upload_date[:10] >= filters.uploaded_after)
                for one in documents
            ]
        )

    def recall(
        self, found: Sequence[SearchResult], vectors: Vectors, allowed: NDArray[np.bool_], top: int
    ) -> float | None:
        """Return the fraction of the first `top` hits that float32 products also rank there, or rank so close that half
        precision cannot distinguish them. Return None if nothing may be found."""
        if not allowed.any():
            return None
        rows = np.repeat(allowed, BLOCKS_A_DOCUMENT)
        there = wanted = 0
        for one, vector in zip(found, vectors, strict=False):
            scores = np.where(rows, self.matrix @ vector, -2.0)
            last = np.partition(scores, -top)[-top] - _HALVES
            there += int(sum(scores[row_of(hit.block.block_id)] >= last for hit in one.hits))
            wanted += top
        return there / wanted

    def leaks(self, found: Sequence[SearchResult], allowed: NDArray[np.bool_]) -> int:
        """Return the number of hits in documents that may not be found."""
        return sum(not allowed[row_of(hit.block.block_id) // BLOCKS_A_DOCUMENT] for one in found for hit in one.hits)


def row_of(block_id: str) -> int:
    document, place = block_id[1:].split("-")
    return int(document) * BLOCKS_A_DOCUMENT + int(place)
