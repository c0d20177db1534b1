"""Paths of files: how a file is named here, what lies under what, and opening a file only where a walk found it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

from corpus.errors import InvalidRequest, UnreadableDocument
from corpus.readers.files import opened, reason_of


def absolute(path: Path) -> Path:
    """The path without `..` and with its own symbolic links kept: a file is known by the name it is given.

    Raises InvalidRequest for the home of a user who does not exist.
    """
    try:
        return Path(os.path.abspath(path.expanduser()))
    except RuntimeError as error:
        raise InvalidRequest(f"There is no home folder for {path.parts[0]}. Write the whole path.") from error


def known_name(path: Path, known: Iterable[str]) -> Path:
    """The name by which documents at these places know a file or folder: its own, else another that leads to the same
    one through links, else its own. So each is indexed once, whichever way it is named. Blocks."""
    places = [Path(place) for place in known]
    try:
        there = path.stat()
    except (OSError, ValueError):
        return path
    if any(is_under(place, path) for place in places):
        return path
    folders = sorted({folder for place in places for folder in place.parents})
    if path.is_dir():
        return next((folder for folder in folders if _is(folder, there)), path)
    # Hard links are files of their own, so names decide as well.
    real = Path(os.path.realpath(path))
    same = (place for place in places if _is(place, there) and os.path.realpath(place) == str(real))
    beside = (folder / real.name for folder in folders if _is(folder, real.parent.stat()))
    return next(same, None) or next(beside, path)


def _is(path: Path, there: os.stat_result) -> bool:
    try:
        return os.path.samestat(path.stat(), there)
    except (OSError, ValueError):
        return False


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


def is_hidden(name: str) -> bool:
    """Also the lock files that office programs keep beside open documents (~$report.docx)."""
    return name.startswith((".", "~$"))


Roots = Sequence[Path] | None
"""Real paths of the folders and files that a run is about; None where links out of them are followed."""


class LeadsOut(UnreadableDocument):
    """A link at the place, or in the way to it, leads out of what the run is about."""


def real_roots(roots: Sequence[Path]) -> tuple[Path, ...]:
    return tuple(Path(os.path.realpath(root)) for root in roots)


def leads_out(path: Path, roots: Roots) -> bool:
    """Whether the path leads out now. Looks at the disk."""
    return roots is not None and not _is_within(Path(os.path.realpath(path)), roots)


def opened_within(path: Path, roots: Roots) -> BinaryIO:
    """The plain file at this place, checked after it was opened. Raises UnreadableDocument, LeadsOut among it."""
    try:
        file = opened(path)
    except OSError as error:
        raise UnreadableDocument(f"cannot be opened: {reason_of(error)}") from error
    except ValueError as error:
        raise UnreadableDocument("its name cannot be a file name") from error
    if roots is not None and not _lies_within(file, path, roots):
        file.close()
        raise LeadsOut("a link there leads out of the folders; --follow-links reads it")
    return file


def _lies_within(file: BinaryIO, path: Path, roots: Sequence[Path]) -> bool:
    try:
        return _is_within(Path(os.readlink(f"/proc/self/fd/{file.fileno()}")), roots)
    except OSError:  # a system that does not tell where an open file lies
        real = os.path.realpath(path)
    try:
        return _is_within(Path(real), roots) and os.path.samestat(os.lstat(real), os.fstat(file.fileno()))
    except OSError:
        return False


def _is_within(real: Path, roots: Sequence[Path]) -> bool:
    return any(is_under(real, root) for root in roots)
