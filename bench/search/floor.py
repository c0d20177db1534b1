"""The bare scan: the cost of finding the nearest of all vectors without an index, filters, keyword search or database
rows."""

from __future__ import annotations

import numpy as np

from bench.measured import Times, measured
from corpus.embedding.protocol import Vectors
from corpus.index.local.vectors import kernel

TOP, RESCORED, COUNT = 10, 100, 40


def float32(matrix: Vectors, vectors: Vectors) -> Times:
    """Measure numpy with a single BLAS thread."""
    return measured(lambda n: kernel.highest(matrix @ vectors[n % len(vectors)], TOP), COUNT)


def int8(matrix: Vectors, vectors: Vectors) -> Times:
    """Measure simsimd, or numpy if there is no simsimd wheel."""
    codes, scales = quantised_in_parts(matrix)
    return measured(
        lambda n: kernel.highest(kernel.similarities(vectors[n % len(vectors)], codes, scales), RESCORED),
        COUNT,
    )


def quantised_in_parts(matrix: Vectors, rows: int = 65_536) -> tuple[kernel.Codes, kernel.Scales]:
    parts = [kernel.quantise(matrix[start : start + rows]) for start in range(0, len(matrix), rows)]
    return np.concatenate([codes for codes, _ in parts]), np.concatenate([scales for _, scales in parts])
