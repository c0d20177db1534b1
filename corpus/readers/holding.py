"""A file held open while it is read, so that all of it comes from one file whatever lies at its place meanwhile."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from corpus.errors import UnreadableDocument
from corpus.readers.digests import digest_of
from corpus.readers.files import opened, reason_of

_OPEN_FILES = Path("/proc/self/fd")


@dataclass
class Beside:
    """Files in the folder of a document: `without` are not to be read, `taken` were, each with its SHA-256."""

    folder: Path
    without: frozenset[str] = frozenset()
    taken: dict[str, str] = field(default_factory=dict)


_beside: dict[Path, Beside] = {}


@dataclass(frozen=True, slots=True)
class Held:
    """`path` leads to the open file under its own name, where the system can do that."""

    path: Path
    file: BinaryIO
    content_hash: str
    state: tuple[int, ...]
    beside: Beside

    def is_unchanged(self) -> bool:
        """Whether nothing was written into the file since it was opened."""
        return self.state == _state(self.file)


@contextmanager
def held(
    path: Path, without: Iterable[str] = (), *, digest: Callable[[BinaryIO], str] = digest_of
) -> Iterator[Held]:
    """Raises UnreadableDocument."""
    beside = Beside(path.parent, frozenset(without))
    with ExitStack() as stack:
        try:
            file = stack.enter_context(opened(path))
            state = _state(file)
            content_hash = digest(file)
            place = stack.enter_context(_place_of(path, file))
            stack.callback(_beside.pop, place)
            _beside[place] = beside
        except OSError as error:
            raise UnreadableDocument(reason_of(error)) from error
        yield Held(place, file, content_hash, state, beside)


def beside(path: Path) -> Beside:
    """What lies beside a file, also beside one that is held."""
    return _beside.get(path) or Beside(path.parent)


@contextmanager
def _place_of(path: Path, file: BinaryIO) -> Iterator[Path]:
    if not _OPEN_FILES.is_dir():
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="ibid-") as folder:
        place = Path(folder) / path.name
        place.symlink_to(_OPEN_FILES / str(file.fileno()))
        yield place


def _state(file: BinaryIO) -> tuple[int, ...]:
    status = os.fstat(file.fileno())
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns
