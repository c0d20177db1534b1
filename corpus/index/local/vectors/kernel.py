"""Vector arithmetic: int8 codes and their products.

Nothing here calls BLAS: its threads cost more in hand-overs than they save, and cannot be limited from inside.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from corpus.embedding.protocol import Vectors

try:
    import simsimd
except ImportError:  # no wheel for this machine; numpy takes three to five times as long
    simsimd = None  # type: ignore[assignment]

Codes = NDArray[np.int8]
Scales = NDArray[np.float32]

_ROWS_AT_ONCE = 4096
"""Rows that are widened to float32 at once; 6 MB at 384 dimensions fit into a processor's cache."""
MAX_TIES = 10
"""Equal scores may extend a result to this many times the wanted count."""
RUN = 128
"""Scores per run; only runs with the highest peaks are searched."""


def quantise(vectors: Vectors) -> tuple[Codes, Scales]:
    """Quantise rows, shape (rows, dimensions), to int8 with one scale each: `codes * scales[:, None]` approximates the
    rows."""
    peaks = np.maximum(np.abs(vectors).max(axis=1), 1e-12)
    codes = np.rint(vectors * (127.0 / peaks)[:, None]).astype(np.int8)
    return codes, (peaks / 127.0).astype(np.float32)


def similarities(query: Vectors, codes: Codes, scales: Scales) -> Vectors:
    """Approximate cosines of a unit vector, shape (dimensions,), with each row; shape (rows,)."""
    if not len(codes):
        return np.zeros(0, dtype=np.float32)
    code, scale = quantise(query[None, :])
    near = products(code[0], codes)
    near *= scales
    near *= scale[0]
    return near


def products(code: Codes, codes: Codes) -> Vectors:
    """Exact integer products of one code, shape (dimensions,), with each row, as float32 of shape (rows,)."""
    if simsimd is None:
        return products_by_numpy(code, codes)
    near: Vectors = np.asarray(simsimd.cdist(code[None, :], codes, "dot", out_dtype="float32"), dtype=np.float32)
    return near.reshape(-1)


def products_by_numpy(code: Codes, codes: Codes) -> Vectors:
    """`products` without simsimd, in slices so that the widened copy stays small."""
    wide = code.astype(np.float32)
    out = np.empty(len(codes), dtype=np.float32)
    for start in range(0, len(codes), _ROWS_AT_ONCE):
        rows = codes[start : start + _ROWS_AT_ONCE].astype(np.float32)
        out[start : start + len(rows)] = np.einsum("ij,j->i", rows, wide)
    return out


def cosines(query: Vectors, codes: Codes, scales: Scales) -> Vectors:
    """`similarities` with the query unquantised, for few rows: a twentieth of the error."""
    near: Vectors = np.einsum("ij,j->i", codes.astype(np.float32), query) * scales
    return near


def highest(scores: Vectors, count: int) -> NDArray[np.intp]:
    """Indexes of the `count` highest scores, unordered, and of ties with the lowest of them."""
    best = _highest_in_runs(scores, count)
    if len(best) == len(scores):
        return best
    # Equal passages tie. Returning all of them keeps the result independent of row order.
    ties = np.flatnonzero(scores >= scores[best].min())
    return ties if len(ties) <= MAX_TIES * count else best


def _highest_in_runs(scores: Vectors, count: int) -> NDArray[np.intp]:
    runs = len(scores) // RUN
    if runs <= count:
        return _highest(scores, count)
    # The highest scores are in the runs with the highest peaks, which are much cheaper to find.
    whole = runs * RUN
    best = _highest(scores[:whole].reshape(runs, RUN).max(axis=1), count)
    places = np.concatenate([(best[:, None] * RUN + np.arange(RUN)).ravel(), np.arange(whole, len(scores))])
    return places[_highest(scores[places], count)]


def _highest(scores: Vectors, count: int) -> NDArray[np.intp]:
    if len(scores) <= count:
        return np.arange(len(scores))
    return np.argpartition(scores, len(scores) - count)[-count:]
