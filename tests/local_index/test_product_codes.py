"""Product codes: a shortlist that changes no result, packed in the format of the scan."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from corpus.embedding.protocol import Vectors
from corpus.filters import Filters
from corpus.index.local.vectors import kernel, nearest_neighbours
from corpus.index.local.vectors.kernel import Coarse, Codebook
from corpus.index.local.vectors.matrix import Matrix, RowsByBlock
from corpus.index.local.vectors.nearest_neighbours import nearest, row_mask
from corpus.index.local.vectors.vector_file import Columns
from corpus.index.local.visible_documents import Languages, VisibleDocuments

faiss = pytest.importorskip("faiss")

ROWS, DIMENSIONS, SHORTLIST = 4_009, 64, 600


@pytest.fixture(scope="module")
def vectors() -> Vectors:
    """Return vectors in groups, some of them close together, with most of the variance in a few directions."""
    random = np.random.default_rng(3)
    centres = random.standard_normal((40, DIMENSIONS)) * np.linspace(2, 0.2, DIMENSIONS)
    rows = centres[random.integers(0, 40, ROWS)] + 0.5 * random.standard_normal((ROWS, DIMENSIONS))
    return unit(rows)


def unit(rows: NDArray[Any]) -> Vectors:
    result: Vectors = (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)
    return result


@pytest.fixture(scope="module")
def codebook(vectors: Vectors) -> Codebook:
    return Codebook.of(vectors)


@pytest.fixture(scope="module")
def blocks(codebook: Codebook, vectors: Vectors) -> NDArray[np.uint8]:
    return codebook.coded([vectors[:1000], vectors[1000:]])


@pytest.fixture
def matrix(vectors: Vectors, codebook: Codebook, blocks: NDArray[np.uint8]) -> Matrix:
    """Return a matrix with ten rows per document. The last fifty rows are not in the file."""
    codes, scales = kernel.quantise(vectors)
    rows = np.arange(ROWS)
    small = np.zeros(ROWS, np.int32)
    columns = Columns(rows + 1, rows // 10, small, small.astype(np.int8), scales, small, small.astype(np.uint16))
    old = ROWS - 50
    coarse = Coarse(codebook, codebook.coded([vectors[:old]]), old)
    return Matrix(1, "", columns, codes[:old], codes[old:], RowsByBlock(rows[:old] + 1), coarse=coarse)


@pytest.fixture(autouse=True)
def few_are_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest_neighbours, "MIN_SHORTLIST", SHORTLIST)


def seen(documents: NDArray[np.bool_]) -> VisibleDocuments:
    table = np.append(documents, False)
    return VisibleDocuments(np.flatnonzero(documents), bool(documents.all()), table)


ONE_LANGUAGE = Languages(np.zeros(ROWS // 10 + 2, dtype=np.int16), {})


def found(matrix: Matrix, query: Vectors, visible: VisibleDocuments, languages: Languages) -> dict[int, float]:
    mask = row_mask(matrix, visible, Filters(), languages)
    return nearest(matrix, mask, languages, query, 20, (), 1.0).nearness


def test_blocks_are_packed_as_faiss_packs_them(vectors: Vectors, codebook: Codebook, blocks: NDArray[np.uint8]) -> None:
    index = faiss.IndexPQFastScan(DIMENSIONS, DIMENSIONS // 2, 4, faiss.METRIC_INNER_PRODUCT)
    faiss.copy_array_to_vector(codebook.points.reshape(-1), index.pq.centroids)
    index.is_trained = True
    index.add(np.ascontiguousarray(vectors @ codebook.rotation.T))
    assert faiss.AlignedTable_to_array(index.codes).tolist() == blocks.tolist()


def test_a_codebook_rotation_keeps_lengths_and_is_reproducible(vectors: Vectors, codebook: Codebook) -> None:
    assert np.allclose(codebook.rotation @ codebook.rotation.T, np.eye(DIMENSIONS), atol=1e-5)
    again = Codebook.of(vectors)
    assert all(np.array_equal(one, other) for one, other in zip(codebook, again, strict=True))


def scores(codebook: Codebook, blocks: NDArray[np.uint8], query: Vectors) -> Vectors:
    rows, result = Coarse(codebook, blocks, ROWS).nearest(query, ROWS)
    assert sorted(rows.tolist()) == [*range(ROWS)]
    return result[np.argsort(rows)]


@pytest.mark.parametrize("share", [1.0, 0.6])
@pytest.mark.parametrize("several", [False, True])
def test_a_shortlist_changes_no_result(
    matrix: Matrix, vectors: Vectors, share: float, several: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(5)
    visible = seen(random.random(ROWS // 10 + 1) <= share)
    spoken = languages(random) if several else ONE_LANGUAGE
    whole = replace(matrix, coarse=None)
    scanned = scans(monkeypatch)
    for _ in range(40):
        query = unit(vectors[random.integers(ROWS)] + 0.3 * unit(random.standard_normal(DIMENSIONS)))
        assert found(matrix, query, visible, spoken) == found(whole, query, visible, spoken)
    # Forty of them have no codes.
    assert len(scanned) < 60


def languages(random: np.random.Generator) -> Languages:
    return Languages(random.integers(1, 3, ROWS // 10 + 2).astype(np.int16), {"de": 1, "en": 2})


def test_hidden_passages_that_fill_the_shortlist_hide_no_other(
    matrix: Matrix, vectors: Vectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = vectors[100]
    nearness = np.zeros(ROWS // 10 + 1)
    np.maximum.at(nearness, np.arange(ROWS) // 10, vectors @ query)
    visible = seen(nearness < np.quantile(nearness, 0.5))
    expected = found(replace(matrix, coarse=None), query, visible, ONE_LANGUAGE)
    scanned = scans(monkeypatch)
    assert found(matrix, query, visible, ONE_LANGUAGE) == expected
    assert len(scanned) == 1


def scans(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that grows with each scan of all vectors."""
    times: list[int] = []
    whole = Matrix.near

    def near(matrix: Matrix, query: Vectors, rows: NDArray[np.intp] | None = None) -> Vectors:
        if rows is None:
            times.append(1)
        return whole(matrix, query, rows)

    monkeypatch.setattr(Matrix, "near", near)
    return times


def test_few_vectors_and_odd_dimensions_have_no_codes() -> None:
    assert kernel.possible(kernel.MIN_ROWS, 384)
    assert not kernel.possible(kernel.MIN_ROWS - 1, 384)
    assert not kernel.possible(kernel.MIN_ROWS, 383)


def test_without_the_extra_there_are_no_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)
    kernel._faiss.cache_clear()
    try:
        assert not kernel.possible(kernel.MIN_ROWS, 384)
    finally:
        kernel._faiss.cache_clear()
