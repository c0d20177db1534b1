"""Normalise and compare file paths, and open only files within the roots."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

from corpus.errors import InvalidRequest, UnreadableDocument
from corpus.readers.pinned_file import open_plain, reason_of


def absolute(path: Path) -> Path:
    """Return the absolute path without `..`. Symbolic links are not resolved, because the index uses the path that was
    given.

    Raises InvalidRequest if the path starts with the home folder (`~name`) of an unknown user.
    """
    try:
        return Path(os.path.abspath(path.expanduser()))
    except RuntimeError as error:
        raise InvalidRequest(f"There is no home folder for {path.parts[0]}. Write the whole path.") from error


def indexed_name(path: Path, indexed: Iterable[str]) -> Path:
    """Return the path under which a file or folder is indexed. Blocks.

    This is the given path, unless documents are already indexed under another path that leads to the same place through
    links. Each file is therefore indexed only once, regardless of which of its paths is given.
    """
    places = [Path(place) for place in indexed]
    try:
        there = path.stat()
    except (OSError, ValueError):
        return path
    if any(is_under(place, path) for place in places):
        return path
    folders = sorted({folder for place in places for folder in place.parents})
    if path.is_dir():
        return next((folder for folder in folders if _is(folder, there)), path)
    # Hard links count as separate files, so the file names must match as well.
    real = Path(os.path.realpath(path))
    same = (place for place in places if _is(place, there) and os.path.realpath(place) == str(real))
    beside = (folder / real.name for folder in folders if _is(folder, real.parent.stat()))
    return next(same, None) or next(beside, path)


def _is(path: Path, there: os.stat_result) -> bool:
    try:
        return os.path.samestat(path.stat(), there)
    except (OSError, ValueError):
        return False


def require_existing(paths: Iterable[Path], indexed: Iterable[str]) -> None:
    """Raise InvalidRequest for a path that neither exists nor was indexed."""
    places = [Path(place) for place in indexed]
    for path in map(absolute, paths):
        if not is_there(path) and not any(is_under(place, path) for place in places):
            raise InvalidRequest(f"There is no file or folder {path}. Check the path.")


def is_there(path: Path, *, follow_symlinks: bool = True) -> bool:
    """Return whether something exists, or may exist, at this path. If the path is inaccessible, reading the file
    reports the error."""
    try:
        path.stat(follow_symlinks=follow_symlinks)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def is_under(place: Path, root: Path) -> bool:
    """Return whether the path is the root or below it."""
    return place == root or root in place.parents


def is_hidden(name: str) -> bool:
    """Return whether a file name is that of a hidden file or of an office program's lock file (~$report.docx)."""
    return name.startswith((".", "~$"))


Roots = Sequence[Path] | None
"""Resolved paths of the run's folders and files; None if links that lead outside them are followed."""


class LeadsOut(UnreadableDocument):
    """A link in the path leads outside the roots."""


def real_roots(roots: Sequence[Path]) -> tuple[Path, ...]:
    """Return the roots with links resolved. Blocks."""
    return tuple(Path(os.path.realpath(root)) for root in roots)


def leads_out(path: Path, roots: Roots) -> bool:
    """Return whether the path currently leads outside the roots. Blocks."""
    return roots is not None and not _is_within(Path(os.path.realpath(path)), roots)


def open_within(path: Path, roots: Roots) -> BinaryIO:
    """Open the regular file at this path, then check that the opened file is within the roots. Raises
    UnreadableDocument or LeadsOut."""
    try:
        file = open_plain(path)
    except OSError as error:
        raise UnreadableDocument(f"cannot be opened: {reason_of(error)}") from error
    except ValueError as error:
        raise UnreadableDocument("its name cannot be a file name") from error
    if roots is not None and not _lies_within(file, path, roots):
        file.close()
        raise LeadsOut("a link there leads out of the folders; --follow-links reads it")
    return file


def _lies_within(file: BinaryIO, path: Path, roots: Sequence[Path]) -> bool:
    """Return whether an open file is within the roots."""
    try:
        return _is_within(Path(os.readlink(f"/proc/self/fd/{file.fileno()}")), roots)
    except OSError:  # no /proc: compare the resolved path instead
        real = os.path.realpath(path)
    try:
        return _is_within(Path(real), roots) and os.path.samestat(os.lstat(real), os.fstat(file.fileno()))
    except OSError:
        return False


def _is_within(real: Path, roots: Sequence[Path]) -> bool:
    return any(is_under(real, root) for root in roots)
