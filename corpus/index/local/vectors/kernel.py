"""Vector arithmetic: int8 codes and their products, and product codes (product quantisation) for an initial, coarse
scan.

This module does not use BLAS, because the threads of BLAS cost more in synchronisation than they save, and their number
cannot be limited from here.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.embedding.protocol import Vectors

try:
    import simsimd
except ImportError:  # there is no wheel for this machine; numpy takes three to five times as long
    simsimd = None  # type: ignore[assignment]

Codes = NDArray[np.int8]
Scales = NDArray[np.float32]

_ROWS_AT_ONCE = 4096
"""Number of rows converted to float32 at a time. With 384 dimensions they need 6 MB, which fits in a processor's
cache."""
MAX_TIES = 10
"""Maximum factor by which ties may make a result longer than the wanted count."""
RUN = 128
"""Number of scores per run. Only the runs with the highest maximum are searched."""


def quantise(vectors: Vectors) -> tuple[Codes, Scales]:
    """Quantise rows, of shape (rows, dimensions), to int8 with one scale per row. `codes * scales[:, None]`
    approximates the rows."""
    peaks = np.maximum(np.abs(vectors).max(axis=1), 1e-12)
    codes = np.rint(vectors * (127.0 / peaks)[:, None]).astype(np.int8)
    return codes, (peaks / 127.0).astype(np.float32)


def similarities(query: Vectors, codes: Codes, scales: Scales) -> Vectors:
    """Return the approximate cosines, of shape (rows,), between a unit vector, of shape (dimensions,), and each row."""
    if not len(codes):
        return np.zeros(0, dtype=np.float32)
    code, scale = quantise(query[None, :])
    near = products(code[0], codes)
    near *= scales
    near *= scale[0]
    return near


def products(code: Codes, codes: Codes) -> Vectors:
    """Return the exact integer dot products of one code, of shape (dimensions,), with each row, as float32 of shape
    (rows,)."""
    if simsimd is None:
        return products_by_numpy(code, codes)
    near: Vectors = np.asarray(simsimd.cdist(code[None, :], codes, "dot", out_dtype="float32"), dtype=np.float32)
    return near.reshape(-1)


def products_by_numpy(code: Codes, codes: Codes) -> Vectors:
    """Compute `products` without simsimd, in slices, so that the float32 copy remains small."""
    wide = code.astype(np.float32)
    out = np.empty(len(codes), dtype=np.float32)
    for start in range(0, len(codes), _ROWS_AT_ONCE):
        rows = codes[start : start + _ROWS_AT_ONCE].astype(np.float32)
        out[start : start + len(rows)] = np.einsum("ij,j->i", rows, wide)
    return out


def cosines(query: Vectors, codes: Codes, scales: Scales) -> Vectors:
    """Compute `similarities` with the unquantised query, for a few rows. The error is one twentieth of that of
    `similarities`."""
    near: Vectors = np.einsum("ij,j->i", codes.astype(np.float32), query) * scales
    return near


def highest(scores: Vectors, count: int) -> NDArray[np.intp]:
    """Return, in no particular order, the indexes of the `count` highest scores and of further scores equal to the
    lowest of them."""
    best = _highest_in_runs(scores, count)
    if len(best) == len(scores):
        return best
    # Equal passages have equal scores. Returning all of them makes the result independent of the row order.
    ties = np.flatnonzero(scores >= scores[best].min())
    return ties if len(ties) <= MAX_TIES * count else best


def _highest_in_runs(scores: Vectors, count: int) -> NDArray[np.intp]:
    runs = len(scores) // RUN
    if runs <= count:
        return _highest(scores, count)
    # The highest scores are in the runs with the highest maxima, which are much cheaper to find.
    whole = runs * RUN
    best = _highest(scores[:whole].reshape(runs, RUN).max(axis=1), count)
    places = np.concatenate([(best[:, None] * RUN + np.arange(RUN)).ravel(), np.arange(whole, len(scores))])
    return places[_highest(scores[places], count)]


def _highest(scores: Vectors, count: int) -> NDArray[np.intp]:
    if len(scores) <= count:
        return np.arange(len(scores))
    return np.argpartition(scores, len(scores) - count)[-count:]


POINTS = 16
"""Number of points per pair of dimensions. With 16 points, a code has four bits, and a processor can keep the lookup
table in its registers."""

MIN_ROWS = 200_000
"""Minimum number of rows for which product codes are computed. Scanning 200,000 rows takes 3.5 ms in full, and 2 ms
with product codes. For 100,000 rows, less than 0.5 ms is saved, which is not worth five seconds of coding for each new
file."""

MAX_SAMPLE = 20_000
"""Maximum number of rows for training the rotation and points: about a thousand per point, four times as many as faiss
recommends."""

BLOCK = 32
"""Number of rows whose codes are interleaved."""

_ORDER = (0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15)
"""Order in which faiss reads the codes of one pair of dimensions within half a block."""

Bytes = NDArray[np.uint8]


class Codebook(NamedTuple):
    """A codebook: `rotation`, of shape (dimensions, dimensions), and `points`, of shape (dimensions / 2, POINTS, 2)."""

    rotation: Vectors
    points: Vectors

    @classmethod
    def of(cls, sample: Vectors) -> Codebook:
        """Train a codebook on a sample, of shape (rows, dimensions). The result is deterministic."""
        faiss = _faiss()
        rotation = _rotation(sample)
        index = _index(faiss, sample.shape[1])
        index.train(np.ascontiguousarray(sample @ rotation.T))
        points = faiss.vector_to_array(index.pq.centroids)
        return cls(rotation, points.reshape(len(rotation) // 2, POINTS, 2))

    def coded(self, pieces: Iterable[Vectors]) -> Bytes:
        """Return the product codes of all these vectors, in blocks."""
        index = _index(_faiss(), len(self.rotation), self)  # in a variable: `index.pq` does not keep it alive
        return interleave(
            np.concatenate([index.pq.compute_codes(np.ascontiguousarray(piece @ self.rotation.T)) for piece in pieces])
        )


class Coarse:
    """Product codes copied into this process's memory. Thread-safe."""

    def __init__(self, codebook: Codebook, blocks: Bytes, rows: int) -> None:
        faiss = _faiss()
        self._faiss = faiss
        self._rotation = codebook.rotation
        self._index = _index(faiss, len(codebook.rotation), codebook)
        faiss.copy_array_to_AlignedTable(blocks, self._index.codes)
        self._index.ntotal, self._index.ntotal2 = rows, -(-rows // BLOCK) * BLOCK

    def nearest(self, query: Vectors, count: int) -> tuple[NDArray[np.intp], Vectors]:
        """Return the indexes of roughly the `count` rows nearest to a unit vector, and their approximate cosines, which
        are all offset by the same constant."""
        self._faiss.omp_set_num_threads(1)  # of the calling thread
        turned = np.einsum("ij,j->i", self._rotation, query)
        scores, rows = self._index.search(turned[None, :], min(count, self._index.ntotal))
        return rows[0], scores[0]


def possible(rows: int, dimensions: int) -> bool:
    """Return whether this number of vectors is worth product coding and faiss is installed."""
    return rows >= MIN_ROWS and dimensions % 4 == 0 and _faiss() is not None


def interleave(codes: Bytes) -> Bytes:
    """Interleave rows of codes, with two codes per byte, into the block layout that faiss scans."""
    width = codes.shape[1]
    blocks = np.zeros((-(-len(codes) // BLOCK), BLOCK, width), dtype=np.uint8)
    blocks.reshape(-1, width)[: len(codes)] = codes
    blocks = blocks.transpose(0, 2, 1)
    first, second = blocks[..., : BLOCK // 2][..., _ORDER], blocks[..., BLOCK // 2 :][..., _ORDER]
    low, high = (first & 15) | (second << 4), (first >> 4) | (second & 240)
    return np.concatenate([low, high], axis=-1).reshape(-1)


def _rotation(sample: Vectors) -> Vectors:
    """Return a rotation after which all pairs of dimensions have similar variance.

    The vectors are rotated to the principal axes, and the first third of the axes is mixed, because a single axis with
    most of the variance would use up the eight bits of a table entry. Then each axis in the half with more variance is
    paired with an axis in the other half.
    """
    dimensions = sample.shape[1]
    _, axes = np.linalg.eigh(np.cov(sample, rowvar=False))
    axes = axes.T[::-1]
    mixed = dimensions // 3
    turn, _ = np.linalg.qr(np.random.default_rng(0).standard_normal((mixed, mixed)))
    axes[:mixed] = turn @ axes[:mixed]
    half = dimensions // 2
    paired = np.stack([axes[:half], axes[: half - 1 : -1]], axis=1)
    return np.ascontiguousarray(paired.reshape(dimensions, dimensions), dtype=np.float32)


def _index(faiss: Any, dimensions: int, codebook: Codebook | None = None) -> Any:
    faiss.omp_set_num_threads(1)
    index = faiss.IndexPQFastScan(dimensions, dimensions // 2, 4, faiss.METRIC_INNER_PRODUCT)
    if codebook:
        faiss.copy_array_to_vector(np.ascontiguousarray(codebook.points).reshape(-1), index.pq.centroids)
        index.is_trained = True
    return index


@cache
def _faiss() -> Any:
    """Return the module faiss, or None if it is not installed or was installed for a different type of machine."""
    try:
        import faiss
    except ImportError:
        return None
    return faiss
