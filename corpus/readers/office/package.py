"""Relationships between the parts of an office document that its library does not follow."""

from __future__ import annotations

import io
import posixpath
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, TypeVar
from zipfile import ZIP_DEFLATED, ZipFile

from lxml import etree

from corpus.errors import UnreadableDocument
from corpus.readers.archives import read_entry
from corpus.readers.markup import parse_xml

_PROPERTIES = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"


def related_parts(archive: ZipFile, part: str, kind: str) -> Iterator[str]:
    """Yield the names of internal parts that a part refers to by a relationship of that kind."""
    folder, name = posixpath.split(part)
    data = read_entry(archive, f"{folder}/_rels/{name}.rels")
    try:
        relations = parse_xml(data) if data else ()
    except UnreadableDocument:
        return
    for relation in relations:
        target = relation.get("Target") or ""
        if (relation.get("Type") or "").endswith(f"/{kind}") and relation.get("TargetMode") != "External":
            yield part_at(folder, target)


def part_at(folder: str, target: str) -> str:
    """Return the name of a relationship's target, for a part in `folder`."""
    return posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")


def has_properties(package: Any) -> bool:
    """Return whether a package of python-docx or python-pptx has properties; the libraries invent missing ones."""
    try:
        package.part_related_by(_PROPERTIES)
    except KeyError:
        return False
    return True


T = TypeVar("T")


def open_repaired(path: Path, archive: ZipFile, open_package: Callable[[str | IO[bytes]], T]) -> T:
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
    root = parse_xml(data)
    for relation in list(root):
        is_inside = relation.get("TargetMode") != "External"
        if is_inside and part_at(folder, relation.get("Target") or "") not in names:
            root.remove(relation)
    return bytes(etree.tostring(root))
