"""Relationships between the parts of an office document, for what its library leaves aside."""

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
    """The names of the parts within this file that a part names under a relationship of that kind."""
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
    """The name of the part that a relationship of a part in `folder` leads to."""
    return posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")


def has_properties(package: Any) -> bool:
    """Whether a package of python-docx or python-pptx has properties; of one without, the libraries make some up."""
    try:
        package.part_related_by(_PROPERTIES)
    except KeyError:
        return False
    return True
