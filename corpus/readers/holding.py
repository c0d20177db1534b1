"""A file held open while it is read, so that all of it comes from one file whatever lies at its place meanwhile."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from corpus.errors import UnreadableDocument
from corpus.readers.digests import digest_of
from corpus.readers.files import opened, reason_of

_OPEN_FILES = Path("/proc/self/fd")
_folders: dict[Path, Path] = {}


@dataclass(frozen=True, slots=True)
class Held:
    """`path` leads to the open file under its own name, where the system can do that."""

    path: Path
    file: BinaryIO
    content_hash: str
    state: tuple[int, ...]

    def is_unchanged(self) -> bool:
        """Whether nothing was written into the file since it was opened."""
        return self.state == _state(self.file)


@contextmanager
def held(path: Path) -> Iterator[Held]:
    """Raises UnreadableDocument."""
    with ExitStack() as stack:
        try:
            file = stack.enter_context(opened(path))
            state = _state(file)
            digest = digest_of(file)
            place = stack.enter_context(_place_of(path, file))
        except OSError as error:
            raise UnreadableDocument(reason_of(error)) from error
        yield Held(place, file, digest, state)


def folder_of(path: Path) -> Path:
    """The folder that a file lies in, also of one that is held."""
    return _folders.get(path, path.parent)


@contextmanager
def _place_of(path: Path, file: BinaryIO) -> Iterator[Path]:
    if not _OPEN_FILES.is_dir():
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="ibid-") as folder:
        place = Path(folder) / path.name
        place.symlink_to(_OPEN_FILES / str(file.fileno()))
        _folders[place] = path.parent
        try:
            yield place
        finally:
            del _folders[place]


def _state(file: BinaryIO) -> tuple[int, ...]:
    status = os.fstat(file.fileno())
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns
