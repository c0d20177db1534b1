"""Matrix rows by their blocks, in any order of insertion."""

from __future__ import annotations

import numpy as np
import pytest

from corpus.index.local.vectors.matrix import Matrix, RowsByBlock
from corpus.index.local.vectors.vector_file import Columns


def matrix(base: list[int], tail: list[int], dead: list[int]) -> Matrix:
    blocks = np.array(base + tail, dtype=np.int64)
    docs = np.arange(len(blocks))
    docs[dead] = -1
    small = np.zeros(len(blocks), dtype=np.int32)
    columns = Columns(
        blocks, docs, small, small.astype(np.int8), small.astype(np.float32), small, small.astype(np.uint16)
    )
    codes = np.zeros((len(blocks), 4), dtype=np.int8)
    return Matrix(1, "", columns, codes[: len(base)], codes[len(base) :], RowsByBlock(blocks[: len(base)]))


@pytest.mark.parametrize("base", [[2, 3, 5, 9], [9, 2, 5, 3]])
def test_rows_are_found_by_their_blocks_in_any_order(base: list[int]) -> None:
    rows = matrix(base, [12, 11], []).rows_of({3, 9, 11, 4, 100})
    assert sorted(rows.tolist()) == sorted([base.index(3), base.index(9), 5])


def test_a_replaced_block_is_found_at_its_new_row() -> None:
    assert matrix([2, 3, 5], [3, 7], [1]).rows_of([3, 5, 7]).tolist() == [2, 3, 4]
    assert matrix([2, 3, 5], [3, 7], [1, 3]).rows_of([3]).tolist() == []


def test_an_empty_list_of_blocks_has_no_rows() -> None:
    assert matrix([2, 3], [], []).rows_of([]).tolist() == []
    assert matrix([], [], []).rows_of([1, 2]).tolist() == []
