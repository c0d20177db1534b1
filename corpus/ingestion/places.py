"""Places of files: what a path is called here, whether something is there, what lies under what."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from corpus.errors import InvalidRequest


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
    if not path.is_dir():  # hard links are files of their own, so names decide as well
        real = os.path.realpath(path)
        return next((one for one in places if _is(one, there) and os.path.realpath(one) == real), path)
    folders = sorted({folder for place in places for folder in place.parents})
    return next((folder for folder in folders if _is(folder, there)), path)


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
