"""Files as they lie on a disk: what is no plain readable file is refused before anything opens it."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO, NamedTuple

from corpus.errors import UnreadableDocument

_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
"""Not blocking, in case a pipe took the file's place since it was checked."""


class FileState(NamedTuple):
    """What tells one file, and one state of it, from another without a look at its content. Times in nanoseconds."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


def file_state(status: os.stat_result) -> FileState:
    return FileState(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def checked_file(path: Path, most_bytes: int) -> None:
    """Passes for a plain file with content within the limit; UnreadableDocument with the reason else.

    Nothing is opened that could block, such as a pipe.
    """
    status = _status(path)
    check_plain(status)
    if status.st_size == 0:
        raise UnreadableDocument("empty file")
    check_size(status, most_bytes)
    if not os.access(path, os.R_OK):
        raise UnreadableDocument("no permission to read it")


def check_plain(status: os.stat_result) -> None:
    """UnreadableDocument for a folder, a pipe, a socket and a device."""
    if stat.S_ISDIR(status.st_mode):
        raise UnreadableDocument("is a folder, not a file")
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableDocument("is no plain file (a pipe, a socket or a device)")


def check_size(status: os.stat_result, most_bytes: int) -> None:
    """UnreadableDocument for more."""
    if status.st_size > most_bytes:
        raise UnreadableDocument(
            f"has {status.st_size / 1e6:.0f} MB, more than the {most_bytes / 1e6:.0f} MB allowed"
        )


def opened(path: Path) -> BinaryIO:
    """A plain file, open for reading. Nothing waits: what is no plain file is refused before and after it is opened.

    Raises OSError, and UnreadableDocument for what is none.
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
    """The first bytes of a checked file. UnreadableDocument when it cannot be opened."""
    try:
        with opened(path) as file:
            return file.read(count)
    except OSError as error:
        raise UnreadableDocument(reason_of(error)) from error


def file_bytes(path: Path, most_bytes: int) -> bytes:
    """All of a checked file, which may be another one by now. UnreadableDocument as for checked_file."""
    try:
        with opened(path) as file:
            if os.fstat(file.fileno()).st_size > most_bytes:
                raise UnreadableDocument("changed while it was opened")
            return file.read(most_bytes)
    except OSError as error:
        raise UnreadableDocument(reason_of(error)) from error


def reason_of(error: OSError) -> str:
    """Why the system refused, for a person and without the path."""
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
