"""Keep a file open while it is read, so that all of it comes from one file even if the path is replaced."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from corpus.errors import UnreadableDocument
from corpus.readers.digests import digest_of
from corpus.readers.files import FileState, file_state, opened, reason_of

_OPEN_FILES = Path("/proc/self/fd")


@dataclass
class NeighbourFiles:
    """A document's folder, and the files in it that the document shows: SHA-256 by absolute path."""

    folder: Path
    read: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """`path` leads to the open file under its own name, where the system supports that; `state` is from its opening."""

    path: Path
    file: BinaryIO
    content_hash: str
    state: FileState
    neighbours: NeighbourFiles

    def is_unchanged(self) -> bool:
        """Return whether nothing was written to the file since it was opened."""
        return self.state == file_state(os.fstat(self.file.fileno()))


@contextmanager
def pinned(path: Path, *, digest: Callable[[BinaryIO], str] = digest_of) -> Iterator[PinnedFile]:
    """Open and hash a file. Raises UnreadableDocument."""
    with ExitStack() as stack:
        try:
            file = stack.enter_context(opened(path))
            state = file_state(os.fstat(file.fileno()))
            content_hash = digest(file)
            place = stack.enter_context(_path_to(path, file))
        except OSError as error:
            raise UnreadableDocument(reason_of(error)) from error
        yield PinnedFile(place, file, content_hash, state, NeighbourFiles(path.parent))


@contextmanager
def _path_to(path: Path, file: BinaryIO) -> Iterator[Path]:
    if not _OPEN_FILES.is_dir():
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="ibid-") as folder:
        place = Path(folder) / path.name
        place.symlink_to(_OPEN_FILES / str(file.fileno()))
        yield place
