"""The file format of the vectors that a scan reads: a header, seven columns, and the int8 codes, with one row per
block.

Large files also contain the product codes of the same rows.

Processes map the file into memory, so all processes that use the same index share one copy. A published file never
changes.
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

from corpus.index.local.vectors import kernel
from corpus.index.local.vectors.kernel import Codebook

MAGIC = b"IBIDVEC2"
_HEADER = struct.Struct("<8s32sq16sqqqI")
_CHECKSUM = struct.Struct("<I")
HEADER_SIZE = 128
"""Size of the header in bytes: two cache lines, of which 96 bytes are in use."""
_PAGE_SIZE = 4096
"""Size of a memory page in bytes. The codes start at a page boundary."""

COLUMN_TYPES = ("<i8", "<i8", "<i4", "i1", "<f4", "<i4", "<u2")
UNKNOWN_POSITION = -1
"""Placeholder for the position of a block whose position and language are only in the database."""


class Columns(NamedTuple):
    """Columns with one entry per row: row id of the block, row id of its document, page, block type, scale of the
    codes, position in the document, and the two-letter language code as a number."""

    blocks: NDArray[np.int64]
    docs: NDArray[np.int64]
    pages: NDArray[np.int32]
    kinds: NDArray[np.int8]
    scales: NDArray[np.float32]
    positions: NDArray[np.int32]
    languages: NDArray[np.uint16]


class ProductCodes(NamedTuple):
    """The codebook, and the interleaved product codes of all rows."""

    codebook: Codebook
    blocks: NDArray[np.uint8]


class MappedFile(NamedTuple):
    """Read-only views into a mapped file; `codes` has shape (rows, dimensions)."""

    header: Header
    columns: Columns
    codes: NDArray[np.int8]
    product_codes: ProductCodes | None


class InvalidVectorFile(Exception):
    """The file has a different format or is truncated."""


@dataclass(frozen=True, slots=True)
class Header:
    """The file header. `embedder` is the SHA-256 of the embedder's name, `gen` and `nonce` identify the generation of
    the database, `coded` is true if product codes follow, and `checksum` is the CRC-32 of the columns."""

    embedder: bytes
    gen: int
    nonce: str
    rows: int
    dimensions: int
    coded: bool
    checksum: int

    @classmethod
    def of(cls, embedder: str, gen: int, nonce: str, dimensions: int, columns: Columns, *, coded: bool = False) -> Self:
        """Return the header for a file with these columns."""
        rows, checksum = len(columns[0]), _checksum(columns)
        return cls(embedder_digest(embedder), gen, nonce, rows, dimensions, coded, checksum)

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """Read a header. Raises InvalidVectorFile."""
        if len(data) < HEADER_SIZE:
            raise InvalidVectorFile("cut")
        packed = data[: _HEADER.size]
        magic, embedder, gen, nonce, rows, dimensions, coded, checksum = _HEADER.unpack(packed)
        (own_checksum,) = _CHECKSUM.unpack_from(data, _HEADER.size)
        if magic != MAGIC or own_checksum != zlib.crc32(packed):
            raise InvalidVectorFile("no header of this format")
        return cls(embedder, gen, nonce.decode("ascii", "replace"), rows, dimensions, bool(coded), checksum)

    def pack(self) -> bytes:
        """Return this header as `HEADER_SIZE` bytes."""
        packed = _HEADER.pack(
            MAGIC, self.embedder, self.gen, self.nonce.encode(), self.rows, self.dimensions, self.coded,
            self.checksum,
        )  # fmt: skip
        return (packed + _CHECKSUM.pack(zlib.crc32(packed))).ljust(HEADER_SIZE, b"\0")

    def columns(self) -> Iterator[tuple[int, str]]:
        """Yield the offset and the type of each column."""
        offset = HEADER_SIZE
        for dtype in COLUMN_TYPES:
            yield offset, dtype
            offset += -(-self.rows * np.dtype(dtype).itemsize // 64) * 64

    @property
    def codes_offset(self) -> int:
        """Offset of the int8 codes, page-aligned."""
        offset, dtype = list(self.columns())[-1]
        return _next_page(offset + self.rows * np.dtype(dtype).itemsize)

    @property
    def codebook_offset(self) -> int:
        """Offset of the codebook, page-aligned."""
        return _next_page(self.codes_offset + self.rows * self.dimensions)

    @property
    def blocks_offset(self) -> int:
        """Offset of the product codes, after their codebook."""
        return _next_page(self.codebook_offset + 4 * self.dimensions * (self.dimensions + kernel.POINTS))

    @property
    def block_size(self) -> int:
        """Size of one block of product codes, in bytes."""
        return kernel.BLOCK * self.dimensions // 4

    @property
    def size(self) -> int:
        """Size of the entire file, in bytes."""
        if not self.coded:
            return self.codes_offset + self.rows * self.dimensions
        return self.blocks_offset + -(-self.rows // kernel.BLOCK) * self.block_size


def embedder_digest(name: str) -> bytes:
    """Return the SHA-256 of an embedder's name."""
    return hashlib.sha256(name.encode()).digest()


def _next_page(offset: int) -> int:
    return -(-offset // _PAGE_SIZE) * _PAGE_SIZE


def write(
    file: BinaryIO,
    header: Header,
    columns: Columns,
    codes: Iterable[NDArray[np.int8]],
    coded: ProductCodes | None = None,
) -> None:
    """Write the entire file, and sync it to disk. `codes` yields the codes in chunks of rows."""
    file.write(header.pack())
    for (offset, dtype), column in zip(header.columns(), columns, strict=True):
        file.seek(offset)
        file.write(np.ascontiguousarray(column, dtype=dtype).data)
    file.seek(header.codes_offset)
    for piece in codes:
        file.write(np.ascontiguousarray(piece).data)
    if coded:
        file.seek(header.codebook_offset)
        for array in coded.codebook:
            file.write(np.ascontiguousarray(array, dtype="<f4").data)
        file.seek(header.blocks_offset)
        file.write(coded.blocks.data)
    file.truncate(header.size)
    file.flush()
    os.fsync(file.fileno())


def map_file(path: Path) -> MappedFile:
    """Map a file and check its columns. Raises InvalidVectorFile and OSError."""
    with path.open("rb") as file:
        header = Header.unpack(file.read(HEADER_SIZE))
        if os.fstat(file.fileno()).st_size != header.size or not header.rows:
            raise InvalidVectorFile("cut, or longer than it says")
        memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    columns = Columns(*(np.frombuffer(memory, dtype, header.rows, offset) for offset, dtype in header.columns()))
    # A checksum of the codes would require reading them all, and a flipped bit there changes at most a rank in the
    # shortlist.
    if _checksum(columns) != header.checksum:
        raise InvalidVectorFile("columns that do not add up")
    codes = np.frombuffer(memory, np.int8, header.rows * header.dimensions, header.codes_offset)
    return MappedFile(header, columns, codes.reshape(header.rows, header.dimensions), _product_codes(memory, header))


def _product_codes(memory: mmap.mmap, header: Header) -> ProductCodes | None:
    if not header.coded:
        return None
    width, offset = header.dimensions, header.codebook_offset
    rotation = np.frombuffer(memory, "<f4", width * width, offset).reshape(width, width)
    offset += rotation.nbytes
    points = np.frombuffer(memory, "<f4", width * kernel.POINTS, offset)
    blocks = np.frombuffer(memory, np.uint8, offset=header.blocks_offset)
    return ProductCodes(Codebook(rotation, points.reshape(width // 2, kernel.POINTS, 2)), blocks)


def read_header(path: Path) -> Header:
    """Read only the header. Raises InvalidVectorFile and OSError."""
    with path.open("rb") as file:
        return Header.unpack(file.read(HEADER_SIZE))


def _checksum(columns: Columns) -> int:
    checksum = 0
    for column, dtype in zip(columns, COLUMN_TYPES, strict=True):
        checksum = zlib.crc32(np.ascontiguousarray(column, dtype=dtype).data, checksum)
    return checksum
