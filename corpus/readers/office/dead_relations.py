"""Open office documents with relationships to missing parts, which some programs leave behind.

Office programs open such files; the libraries do not.
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
    """Open a file with the library, or else a copy without its dead relationships. Raises what `open_package`
    raises."""
    try:
        return open_package(str(path))
    except KeyError:  # both libraries look a part up by name
        return open_package(_without_dead_relations(archive))


def _without_dead_relations(archive: ZipFile) -> IO[bytes]:
    names = set(archive.namelist())
    copy = io.BytesIO()
    with ZipFile(copy, "w", ZIP_DEFLATED, compresslevel=1) as whole:
        for name in names:
            data = archive.read(name)
            whole.writestr(name, _without_dead(name, data, names) if name.endswith(".rels") else data)
    copy.seek(0)
    return copy


def _without_dead(name: str, data: bytes, names: set[str]) -> bytes:
    """Return a relationships part with only those that lead to an existing part."""
    folder = posixpath.dirname(posixpath.dirname(name))
    root = parsed_xml(data)
    for relation in list(root):
        is_inside = relation.get("TargetMode") != "External"
        if is_inside and part_at(folder, relation.get("Target") or "") not in names:
            root.remove(relation)
    return bytes(etree.tostring(root))
