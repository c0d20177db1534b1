"""Open files safely: anything but a plain readable file is refused before it is opened."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO, NamedTuple

from corpus.errors import UnreadableDocument

_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
"""Non-blocking, in case a pipe replaced the file after the check."""


class FileState(NamedTuple):
    """Identifies a file and its state without reading it. Size in bytes, times in nanoseconds."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


def file_state(status: os.stat_result) -> FileState:
    """Return the state from a stat result."""
    return FileState(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def checked_file(path: Path, max_bytes: int) -> None:
    """Pass for a plain readable file within the size limit, else raise UnreadableDocument with the reason.

    Opens nothing, so it cannot block on a pipe.
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
        raise UnreadableDocument("is no plain file (a pipe, a socket or a device)")


def check_size(status: os.stat_result, max_bytes: int) -> None:
    """Raise UnreadableDocument for more than `max_bytes`."""
    if status.st_size > max_bytes:
        raise UnreadableDocument(
            f"has {status.st_size / 1e6:.0f} MB, more than the {max_bytes / 1e6:.0f} MB allowed"
        )


def opened(path: Path) -> BinaryIO:
    """Open a plain file for reading, checked before and after, so that nothing blocks.

    Raises OSError, and UnreadableDocument for anything else than a plain file.
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
    """Return the first bytes of a checked file. Raises UnreadableDocument where it cannot be opened."""
    try:
        with opened(path) as file:
            return file.read(count)
    except OSError as error:
        raise UnreadableDocument(reason_of(error)) from error


def file_bytes(path: Path, max_bytes: int) -> bytes:
    """Return all bytes of a checked file, which may have changed since. Raises UnreadableDocument as `checked_file`."""
    try:
        with opened(path) as file:
            if os.fstat(file.fileno()).st_size > max_bytes:
                raise UnreadableDocument("changed while it was opened")
            return file.read(max_bytes)
    except OSError as error:
        raise UnreadableDocument(reason_of(error)) from error


def reason_of(error: OSError) -> str:
    """Return why the system refused, for a person and without the path."""
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
