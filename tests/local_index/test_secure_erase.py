"""Secure erasure never shortens a mapped file: that would end the processes that have it mapped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from corpus.index.local import vector_file
from corpus.index.local.vector_file import Columns, Header, InvalidVectorFile, SecureErase

ROWS, DIMENSIONS = 700, 16


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "vectors.flat"
    rows = np.arange(ROWS)
    columns = Columns(
        rows.astype(np.int64), rows.astype(np.int64), rows.astype(np.int32), rows.astype(np.int8),
        rows.astype(np.float32), rows.astype(np.int32), rows.astype(np.uint16),
    )  # fmt: skip
    header = Header.of("any", 3, "0123456789abcdef", DIMENSIONS, columns)
    with made.open("wb") as out:
        vector_file.write(out, header, columns, [np.ones((ROWS, DIMENSIONS), np.int8)])
    return made


def test_erasing_keeps_the_size_and_a_process_that_has_it_mapped_reads_zeros(file: Path) -> None:
    codes = vector_file.map_file(file).codes
    before, inode = file.stat().st_size, file.stat().st_ino
    with SecureErase(file) as erasure:
        erasure.erase(np.array([0, 1, ROWS - 1], dtype=np.intp), 4)
    assert (file.stat().st_size, file.stat().st_ino) == (before, inode)
    assert [int(codes[row].sum()) for row in (0, 1, 2, ROWS - 1)] == [0, 0, DIMENSIONS, 0]


def test_a_truncated_file_is_neither_mapped_nor_erased(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data[:-1])
    with pytest.raises(InvalidVectorFile, match="cut"):
        vector_file.map_file(file)
    with pytest.raises(InvalidVectorFile, match="cut"):
        SecureErase(file)
