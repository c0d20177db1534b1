"""How each document was read, as it is kept with it: the reader's version, and the pictures beside it that it shows or
was kept from showing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from corpus.readers.promise import ReadDocument

Shown = tuple[tuple[str, str, int, int], ...]
"""Path, SHA-256, size and time of each picture."""

_UNREAD_PICTURES = "+noocr"
_SHOWS = "+shows:"


def version_read(
    reader_version: str, read: ReadDocument, shown: Shown = (), withheld: Sequence[str] = ()
) -> str:
    """The version to keep with a document; one that holds unread pictures is marked. `withheld` are the places of the
    pictures that it shows and its readers may not see."""
    version = reader_version + _UNREAD_PICTURES if read.has_unread_pictures else reader_version
    if not (shown or withheld):
        return version
    kept = {"shown": shown, "withheld": sorted(withheld)} if withheld else shown
    return f"{version}{_SHOWS}{json.dumps(kept)}"


def shown_by(version: str) -> Shown:
    kept = _kept(version)
    shown = kept["shown"] if isinstance(kept, dict) else kept
    return tuple((path, digest, size, time) for path, digest, size, time in shown)


def withheld_from(version: str) -> tuple[str, ...]:
    kept = _kept(version)
    return tuple(kept["withheld"]) if isinstance(kept, dict) else ()


def _kept(version: str) -> Any:
    _, mark, kept = version.partition(_SHOWS)
    return json.loads(kept) if mark else ()


def current_versions(reader_version: str, *, reads_pictures: bool) -> frozenset[str]:
    """Versions of documents that need not be read again; marked ones are not among them once pictures are read."""
    marked = reader_version + _UNREAD_PICTURES
    return frozenset((reader_version,) if reads_pictures else (reader_version, marked))


def is_current(version: str, current: frozenset[str]) -> bool:
    return version.partition(_SHOWS)[0] in current
