"""Office documents whose relationships lead to parts that are not there, as some programs leave them behind.

Office programs open these without a word; the libraries that read them do not.
"""

from __future__ import annotations

import io
import posixpath
from collections.abc import Callable
from pathlib import Path
from typing import IO, TypeVar
from zipfile import ZIP_DEFLATED, ZipFile

from lxml import etree

from corpus.readers.markup import parsed_xml
from corpus.readers.office.package import part_at

T = TypeVar("T")


def opened_whole(path: Path, archive: ZipFile, open_package: Callable[[str | IO[bytes]], T]) -> T:
    """What the library makes of the file, or else of a copy without its dead relationships."""
    try:
        return open_package(str(path))
    except KeyError:  # both libraries look the part up by its name
        return open_package(_without_dead_relations(archive))


def _without_dead_relations(archive: ZipFile) -> IO[bytes]:
    names = set(archive.namelist())
    copy = io.BytesIO()
    with ZipFile(copy, "w", ZIP_DEFLATED, compresslevel=1) as whole:
        for name in names:
            data = archive.read(name)
            whole.writestr(name, _living(name, data, names) if name.endswith(".rels") else data)
    copy.seek(0)
    return copy


def _living(name: str, data: bytes, names: set[str]) -> bytes:
    """A part of relationships, with those alone that lead somewhere."""
    folder = posixpath.dirname(posixpath.dirname(name))
    root = parsed_xml(data)
    for relation in list(root):
        is_inside = relation.get("TargetMode") != "External"
        if is_inside and part_at(folder, relation.get("Target") or "") not in names:
            root.remove(relation)
    return bytes(etree.tostring(root))
