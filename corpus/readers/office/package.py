"""Relationships between the parts of an office document that its library does not follow."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any
from zipfile import ZipFile

from corpus.errors import UnreadableDocument
from corpus.readers.archives import entry
from corpus.readers.markup import parsed_xml

_PROPERTIES = "http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"


def related(archive: ZipFile, part: str, kind: str) -> Iterator[str]:
    """Yield the names of internal parts that a part refers to by a relationship of that kind."""
    folder, name = posixpath.split(part)
    data = entry(archive, f"{folder}/_rels/{name}.rels")
    try:
        relations = parsed_xml(data) if data else ()
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
