"""How each document was read, as it is kept with it: the reader's version, the pictures that text recognition has not
come to, and the pictures beside it that it shows or was kept from showing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from corpus.readers.protocol import ReadDocument

Shown = tuple[tuple[str, str, int, int], ...]
"""Path, SHA-256, size and time of each picture."""

_PENDING, _UNREAD = "+pending:", "+unread:"
"""Places of pictures whose turn comes, and of those that nobody reads since text recognition is off."""
_SHOWS = "+shows:"


def version_read(
    reader_version: str,
    read: ReadDocument,
    shown: Shown = (),
    withheld: Sequence[str] = (),
    *,
    reads_pictures: bool = False,
) -> str:
    """The version to keep with a document. `withheld` are the places of the pictures that it shows and its readers may
    not see."""
    mark = _PENDING if reads_pictures else _UNREAD
    version = f"{reader_version}{mark}{' '.join(read.pending)}" if read.pending else reader_version
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


def pending_in(version: str) -> tuple[str, ...]:
    """The places of the pictures that text recognition has not come to, in reading order."""
    _, _, places = version.partition(_SHOWS)[0].partition(_PENDING)
    return tuple(places.split())


def is_current(version: str, reader_version: str, *, reads_pictures: bool) -> bool:
    """Whether a document of this version was read as it would be now, but for pictures whose turn comes. What its
    warnings say of them changes with text recognition."""
    mark = _PENDING if reads_pictures else _UNREAD
    return version.partition(_SHOWS)[0].partition(mark)[0] == reader_version
