"""The file that holds vectors the way a scan reads them: a header, five columns, and the int8 codes, one row a block.

It is mapped, so that every process on one index shares one copy in memory. Once it has its name it never changes,
but for two things: codes of blocks that are gone are overwritten with zeros, and the header says up to which
generation that was done.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

MAGIC = b"IBIDVEC1"
_HEADER = struct.Struct("<8s32sq16sqqI")
_SUM = struct.Struct("<I")
WIPED = struct.Struct("<q")
WIPED_AT = 96
COLUMNS_AT = 128
"""The header ends there; from `WIPED_AT` on it holds the only number that changes."""
_PAGE = 4096

COLUMNS = ("<i8", "<i8", "<i4", "i1", "<f4")


class Columns(NamedTuple):
    """Of each row: row id of the block, that of its document, page, kind, scale of the codes."""

    blocks: NDArray[np.int64]
    docs: NDArray[np.int64]
    pages: NDArray[np.int32]
    kinds: NDArray[np.int8]
    scales: NDArray[np.float32]


class Unusable(Exception):
    """Not a file of this format, or not whole."""


@dataclass(frozen=True, slots=True)
class Header:
    """`embedder` is a digest of its name; the vectors are those of the database at that generation. `sum` is of the
    columns."""

    embedder: bytes
    gen: int
    nonce: str
    rows: int
    dimensions: int
    sum: int

    @classmethod
    def of(cls, embedder: str, gen: int, nonce: str, dimensions: int, columns: Columns) -> Self:
        return cls(digest(embedder), gen, nonce, len(columns[0]), dimensions, _sum(columns))

    @classmethod
    def read(cls, start: bytes) -> Self:
        """Raises Unusable."""
        if len(start) < COLUMNS_AT:
            raise Unusable("cut")
        packed = start[: _HEADER.size]
        magic, embedder, gen, nonce, rows, dimensions, total = _HEADER.unpack(packed)
        (own,) = _SUM.unpack_from(start, _HEADER.size)
        if magic != MAGIC or own != zlib.crc32(packed):
            raise Unusable("no header of this format")
        return cls(embedder, gen, nonce.decode("ascii", "replace"), rows, dimensions, total)

    def packed(self) -> bytes:
        made = _HEADER.pack(
            MAGIC, self.embedder, self.gen, self.nonce.encode(), self.rows, self.dimensions, self.sum
        )
        start = (made + _SUM.pack(zlib.crc32(made))).ljust(WIPED_AT, b"\0") + WIPED.pack(self.gen)
        return start.ljust(COLUMNS_AT, b"\0")

    def places(self) -> Iterator[tuple[int, str]]:
        """Where each column begins, and of what it is."""
        at = COLUMNS_AT
        for kind in COLUMNS:
            yield at, kind
            at += -(-self.rows * np.dtype(kind).itemsize // 64) * 64

    @property
    def codes_at(self) -> int:
        at, kind = list(self.places())[-1]
        return -(-(at + self.rows * np.dtype(kind).itemsize) // _PAGE) * _PAGE

    @property
    def size(self) -> int:
        return self.codes_at + self.rows * self.dimensions


def digest(embedder: str) -> bytes:
    return hashlib.sha256(embedder.encode()).digest()


def write(file: BinaryIO, header: Header, columns: Columns, codes: Iterable[NDArray[np.int8]]) -> None:
    """All of it, on the disk before this returns. `codes` come in pieces."""
    file.write(header.packed())
    for (at, kind), column in zip(header.places(), columns, strict=True):
        file.seek(at)
        file.write(np.ascontiguousarray(column, dtype=kind).data)
    file.seek(header.codes_at)
    for piece in codes:
        file.write(np.ascontiguousarray(piece).data)
    file.truncate(header.size)
    file.flush()
    os.fsync(file.fileno())


def mapped(path: Path) -> tuple[Header, Columns, NDArray[np.int8]]:
    """Views into the file, which nobody can write through. Raises Unusable and OSError."""
    with path.open("rb") as file:
        header = Header.read(file.read(COLUMNS_AT))
        if os.fstat(file.fileno()).st_size != header.size or not header.rows:
            raise Unusable("cut, or longer than it says")
        held = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    columns = _columns(header, held)
    # The codes are not summed up, which would read them all: a bit that flips there costs a place in the shortlist.
    if _sum(columns) != header.sum:
        raise Unusable("columns that do not add up")
    codes = np.frombuffer(held, np.int8, header.rows * header.dimensions, header.codes_at)
    return header, columns, codes.reshape(header.rows, header.dimensions)


def header_of(path: Path) -> Header:
    """Raises Unusable and OSError."""
    with path.open("rb") as file:
        return Header.read(file.read(COLUMNS_AT))


def _columns(header: Header, held: mmap.mmap) -> Columns:
    return Columns(*(np.frombuffer(held, kind, header.rows, at) for at, kind in header.places()))


def _sum(columns: Columns) -> int:
    total = 0
    for column, kind in zip(columns, COLUMNS, strict=True):
        total = zlib.crc32(np.ascontiguousarray(column, dtype=kind).data, total)
    return total
