"""Open files safely: accept only regular files, hash them, and keep them open while they are read."""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import re
import stat
import tempfile
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

from corpus.errors import UnreadableDocument

_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
"""Flags for opening a file. They include non-blocking mode, in case a pipe replaced the file after the check."""


class FileState(NamedTuple):
    """Identity and state of a file, obtained without reading it. The size is in bytes; times are in nanoseconds."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


def file_state(status: os.stat_result) -> FileState:
    """Return the file state for a stat result."""
    return FileState(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def check_file(path: Path, max_bytes: int) -> None:
    """Raise UnreadableDocument with the reason unless the path is a regular, readable file within the size limit.

    This opens nothing, so it cannot block on a pipe.
    """
    status = _status(path)
    check_plain(status)
    if status.st_size == 0:
        raise UnreadableDocument("empty file")
    check_size(status, max_bytes)
    if not os.access(path, os.R_OK):
        raise UnreadableDocument("no permission to read it")


def check_plain(status: os.stat_result) -> None:
    """Raise UnreadableDocument for a folder, pipe, socket or device."""
    if stat.S_ISDIR(status.st_mode):
        raise UnreadableDocument("is a folder, not a file")
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableDocument("is not a regular file (a pipe, a socket or a device)")


def check_size(status: os.stat_result, max_bytes: int) -> None:
    """Raise UnreadableDocument if the file is larger than `max_bytes`."""
    if status.st_size > max_bytes:
        raise UnreadableDocument(f"has {status.st_size / 1e6:.0f} MB, more than the {max_bytes / 1e6:.0f} MB allowed")


def open_plain(path: Path) -> BinaryIO:
    """Open a regular file for reading. It is checked before and after it is opened, so that nothing blocks.

    Raises OSError, and UnreadableDocument for anything but a regular file.
    """
    check_plain(os.stat(path))
    file = open(os.open(path, _FLAGS), "rb")  # noqa: SIM115 - the caller closes it
    try:
        check_plain(os.fstat(file.fileno()))
    except BaseException:
        file.close()
        raise
    return file


def file_start(path: Path, count: int = 1024) -> bytes:
    """Return the first bytes of a checked file. Raises UnreadableDocument if it cannot be opened."""
    try:
        with open_plain(path) as file:
            return file.read(count)
    except OSError as error:
        raise UnreadableDocument(reason_of(error)) from error


def file_bytes(path: Path, max_bytes: int) -> bytes:
    """Return all bytes of a checked file, which may have changed since the check. Raises UnreadableDocument like
    `check_file`."""
    try:
        with open_plain(path) as file:
            if os.fstat(file.fileno()).st_size > max_bytes:
                raise UnreadableDocument("changed while it was opened")
            return file.read(max_bytes)
    except OSError as error:
        raise UnreadableDocument(reason_of(error)) from error


def reason_of(error: OSError) -> str:
    """Return the reason for a system error as text for the user, without the path."""
    if isinstance(error, PermissionError):
        return "no permission to read it"
    if isinstance(error, FileNotFoundError):
        return "no such file"
    return error.strerror or "could not be opened"


def _status(path: Path) -> os.stat_result:
    try:
        return path.stat()
    except OSError as error:
        raise UnreadableDocument(reason_of(error)) from error
    except ValueError as error:
        raise UnreadableDocument("its name cannot be a file name") from error


_STEP_BYTES = 8_000_000
"""Number of bytes hashed between two calls of `go_on`; hashing them takes a few hundredths of a second."""
_SLACK_BYTES = 64_000_000
"""Maximum number of bytes by which the file may grow while it is read."""


def digest_of(file: BinaryIO, go_on: Callable[[], object] = lambda: None) -> str:
    """Return the hexadecimal digest of a file from its current position. `go_on` is called between steps and may raise.

    Raises UnreadableDocument for a file that keeps growing.
    """
    digest = hashlib.sha256()
    left = os.fstat(file.fileno()).st_size + _SLACK_BYTES
    while data := file.read(_STEP_BYTES):
        digest.update(data)
        left -= len(data)
        if left < 0:
            raise UnreadableDocument("it grows while it is read; ingest it again when it no longer changes")
        go_on()
    return digest.hexdigest()


_OPEN_FILES = Path("/proc/self/fd")


@dataclass
class NeighbourFiles:
    """A document's folder, and the SHA-256 of each file in it that the document shows, keyed by absolute path."""

    folder: Path
    read: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """An open file. `path` is a path with the file's own name that leads to the open file, if the system supports that;
    `state` is its state when it was opened."""

    path: Path
    file: BinaryIO
    content_hash: str
    state: FileState
    neighbours: NeighbourFiles

    def is_unchanged(self) -> bool:
        """Return whether the file has not been written to since it was opened."""
        return self.state == file_state(os.fstat(self.file.fileno()))


@contextmanager
def pin_file(path: Path, *, digest: Callable[[BinaryIO], str] = digest_of) -> Iterator[PinnedFile]:
    """Open and hash a file; close it on exit. Raises UnreadableDocument."""
    with ExitStack() as stack:
        try:
            file = stack.enter_context(open_plain(path))
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


Pictures = Callable[[str], bytes | None]
"""Function that returns the bytes at an address, or None if they must not or cannot be read."""

_MAX_BYTES = 50_000_000
"""Maximum size of a picture file, in bytes."""
_DATA = re.compile(r"data:image/[a-z0-9.+-]+;base64,", re.IGNORECASE)
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|[/\\]", re.IGNORECASE)


def pictures_beside(neighbours: NeighbourFiles) -> Pictures:
    """Return a function that reads pictures in the document's folder and records each in `neighbours`. Links that lead
    outside the folder are not followed."""
    folder = neighbours.folder.resolve()

    def picture(address: str) -> bytes | None:
        if _DATA.match(address):
            return data_picture(address)
        name = urllib.parse.unquote(address.split("#", maxsplit=1)[0].split("?", maxsplit=1)[0]).strip()
        if not name or _ELSEWHERE.match(name) or "\0" in name:
            return None
        try:
            name = name.replace("\\", "/")
            place = os.path.normpath(neighbours.folder / name)
            path = (folder / name).resolve()
            if not path.is_relative_to(folder):
                return None
            check_file(path, _MAX_BYTES)
            data = file_bytes(path, _MAX_BYTES)
        except (UnreadableDocument, OSError, RuntimeError, ValueError):
            return None
        neighbours.read[place] = hashlib.sha256(data).hexdigest()
        return data

    return picture


def data_picture(address: str) -> bytes | None:
    """Decode a picture from a `data:` address, or return None if it is not one."""
    start = _DATA.match(address)
    if not start or len(address) > 2 * _MAX_BYTES:
        return None
    try:
        return base64.b64decode("".join(urllib.parse.unquote(address[start.end() :]).split()))
    except (binascii.Error, ValueError):
        return None
