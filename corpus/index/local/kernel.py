"""The one place where vectors meet a processor: int8 codes and their products.

No call here uses BLAS: its threads cost more in hand-overs than they save, and cannot be limited from inside.
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
MAX_TIES = 10
"""Times as many places as wanted that equal scores may take."""
RUN = 128
"""Scores of which the highest is looked at first."""


def quantised(vectors: Vectors) -> tuple[Codes, Scales]:
    """Rows as int8 and the factor of each that leads back: `codes * scales[:, None]` is about `vectors`."""
    peaks = np.maximum(np.abs(vectors).max(axis=1), 1e-12)
    codes = np.rint(vectors * (127.0 / peaks)[:, None]).astype(np.int8)
    return codes, (peaks / 127.0).astype(np.float32)


def similarities(query: Vectors, codes: Codes, scales: Scales) -> Vectors:
    """About the cosine of a unit vector, shape (dimensions,), with each row, shape (rows,)."""
    if not len(codes):
        return np.zeros(0, dtype=np.float32)
    code, scale = quantised(query[None, :])
    near = products(code[0], codes)
    near *= scales
    near *= scale[0]
    return near


def products(code: Codes, codes: Codes) -> Vectors:
    """The exact integer product of one row with each, as float32."""
    if simsimd is None:
        return products_by_numpy(code, codes)
    near: Vectors = np.asarray(
        simsimd.cdist(code[None, :], codes, "dot", out_dtype="float32"), dtype=np.float32
    )
    return near.reshape(-1)


def products_by_numpy(code: Codes, codes: Codes) -> Vectors:
    """The same without simsimd, a few rows at once so that the widened copy stays small."""
    wide = code.astype(np.float32)
    out = np.empty(len(codes), dtype=np.float32)
    for start in range(0, len(codes), _ROWS_AT_ONCE):
        rows = codes[start : start + _ROWS_AT_ONCE].astype(np.float32)
        out[start : start + len(rows)] = np.einsum("ij,j->i", rows, wide)
    return out


def cosines(query: Vectors, codes: Codes, scales: Scales) -> Vectors:
    """The same with the query in full, for few rows: a twentieth of the error."""
    near: Vectors = np.einsum("ij,j->i", codes.astype(np.float32), query) * scales
    return near


def highest(scores: Vectors, count: int) -> NDArray[np.intp]:
    """Places of the `count` highest scores, in no order, and of a few more where the last of these are equal."""
    best = _highest_in_runs(scores, count)
    if len(best) == len(scores):
        return best
    # Passages that say the same have the same score: which of them come is not left to where they lie.
    ties = np.flatnonzero(scores >= scores[best].min())
    return ties if len(ties) <= MAX_TIES * count else best


def _highest_in_runs(scores: Vectors, count: int) -> NDArray[np.intp]:
    runs = len(scores) // RUN
    if runs <= count:
        return _highest(scores, count)
    # Each of them lies in one of the runs with the highest peaks, which are found in a fraction of the time.
    whole = runs * RUN
    best = _highest(scores[:whole].reshape(runs, RUN).max(axis=1), count)
    places = np.concatenate([(best[:, None] * RUN + np.arange(RUN)).ravel(), np.arange(whole, len(scores))])
    return places[_highest(scores[places], count)]


def _highest(scores: Vectors, count: int) -> NDArray[np.intp]:
    if len(scores) <= count:
        return np.arange(len(scores))
    return np.argpartition(scores, len(scores) - count)[-count:]
