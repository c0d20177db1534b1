"""Which files an ingestion is about, and what tells one state of a file from the next."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from corpus.errors import InvalidRequest, UnreadableDocument


@dataclass(frozen=True, slots=True)
class Fingerprint:
    content_hash: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Sources:
    """Absolute paths, sorted, each once; `passed_over` counts files of kinds that no reader takes, `closed` holds
    folders that could not be looked into, with the reason."""

    files: tuple[Path, ...]
    passed_over: Counter[str]
    closed: tuple[tuple[Path, str], ...] = ()


def absolute(path: Path) -> Path:
    """The path without `..` and with its own symbolic links kept: a file is known by the name it is given.

    Raises InvalidRequest for the home of a user who does not exist.
    """
    try:
        return Path(os.path.abspath(path.expanduser()))
    except RuntimeError as error:
        raise InvalidRequest(f"There is no home folder for {path.parts[0]}. Write the whole path.") from error


def sources_under(paths: Iterable[Path], readable: frozenset[str]) -> Sources:
    """Readable files under these paths. Hidden files and folders are left alone, links to folders not followed.

    A file named itself is taken whatever its kind: its reader says what is wrong with it.
    """
    files: dict[Path, None] = {}
    passed_over: Counter[str] = Counter()
    closed: dict[Path, str] = {}
    for path in map(absolute, paths):
        if not os.path.isdir(path):
            if is_there(path):
                files[path] = None
            continue
        for file in _walk(path, closed):
            if file.suffix.lower() in readable:
                files[file] = None
            else:
                passed_over[file.suffix.lower() or "(no suffix)"] += 1
    return Sources(tuple(sorted(files)), passed_over, tuple(closed.items()))


def check_exist(paths: Iterable[Path], known: Iterable[str]) -> None:
    """Raises InvalidRequest for a path that is neither there nor the place of anything indexed."""
    places = [Path(place) for place in known]
    for path in map(absolute, paths):
        if not is_there(path) and not any(is_under(place, path) for place in places):
            raise InvalidRequest(f"There is no file or folder {path}. Check the path.")


def is_there(path: Path, *, follow_symlinks: bool = True) -> bool:
    """Whether something is at this place, or may be: what cannot be looked at is for its reader to name."""
    try:
        path.stat(follow_symlinks=follow_symlinks)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def is_under(place: Path, root: Path) -> bool:
    return place == root or root in place.parents


def fingerprint(path: Path) -> Fingerprint:
    """SHA-256 of the content with size and time. Raises UnreadableDocument. Blocks; call it on a thread."""
    try:
        if not path.is_file():  # opening a pipe or a device would wait for ever
            raise UnreadableDocument("not a regular file")
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            state = os.fstat(file.fileno())
    except OSError as error:
        raise UnreadableDocument(f"cannot be opened: {error.strerror or error}") from error
    return Fingerprint(digest, state.st_size, state.st_mtime_ns)


def _walk(folder: Path, closed: dict[Path, str]) -> Iterator[Path]:
    def refused(error: OSError) -> None:
        closed[Path(os.fsdecode(error.filename))] = f"cannot be looked into: {error.strerror or error}"

    for root, folders, names in os.walk(folder, followlinks=False, onerror=refused):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            # Office programs keep lock files beside open documents (~$report.docx).
            if not name.startswith((".", "~$")):
                yield Path(root, name)
