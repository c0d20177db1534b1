"""Opening files where a walk found them: what lies at a place may be another thing by the time it is opened."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from corpus.errors import UnreadableDocument
from corpus.ingestion.places import is_under
from corpus.readers.files import opened, reason_of

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
