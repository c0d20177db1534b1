"""A file of vectors that somebody has mapped never gets shorter by what Ibid does: a shorter one would end them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from corpus.index.local import flat
from corpus.index.local.flat import Columns, Header, Unusable
from corpus.index.local.wiping import Wiping

ROWS, DIMENSIONS = 700, 16


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "vectors.flat"
    rows = np.arange(ROWS)
    columns = Columns(
        rows.astype(np.int64), rows.astype(np.int64), rows.astype(np.int32), rows.astype(np.int8),
        rows.astype(np.float32),
    )  # fmt: skip
    header = Header.of("any", 3, "0123456789abcdef", DIMENSIONS, columns)
    with made.open("wb") as out:
        flat.write(out, header, columns, [np.ones((ROWS, DIMENSIONS), np.int8)])
    return made


def test_wiping_keeps_the_size_and_whoever_has_it_mapped_reads_zeros(file: Path) -> None:
    _, _, codes = flat.mapped(file)
    before, inode = file.stat().st_size, file.stat().st_ino
    with Wiping(file) as opened:
        opened.wipe(np.array([0, 1, ROWS - 1], dtype=np.intp), 4)
    assert (file.stat().st_size, file.stat().st_ino) == (before, inode)
    assert [int(codes[row].sum()) for row in (0, 1, 2, ROWS - 1)] == [0, 0, DIMENSIONS, 0]


def test_a_file_that_was_cut_is_not_mapped_and_not_wiped(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data[:-1])
    with pytest.raises(Unusable, match="cut"):
        flat.mapped(file)
    with pytest.raises(Unusable, match="cut"):
        Wiping(file)
