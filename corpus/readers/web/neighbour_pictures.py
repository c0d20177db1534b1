"""Pictures of a page or Markdown text that lie in its own folder. Nothing is fetched."""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import re
import urllib.parse
from collections.abc import Callable

from corpus.errors import UnreadableDocument
from corpus.readers.files import NeighbourFiles, check_file, file_bytes

Pictures = Callable[[str], bytes | None]
"""Returns the bytes at an address, or None for what must not or cannot be read."""

_MAX_BYTES = 50_000_000
"""Of one picture file."""
_DATA = re.compile(r"data:image/[a-z0-9.+-]+;base64,", re.IGNORECASE)
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|[/\\]", re.IGNORECASE)


def pictures_beside(neighbours: NeighbourFiles) -> Pictures:
    """Return a function that reads pictures in a document's folder and records each in `neighbours`. Links out of
    the folder are not followed."""
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
    """Decode a picture from a `data:` address; None where it is none."""
    start = _DATA.match(address)
    if not start or len(address) > 2 * _MAX_BYTES:
        return None
    try:
        return base64.b64decode("".join(urllib.parse.unquote(address[start.end() :]).split()))
    except (binascii.Error, ValueError):
        return None
