"""An ODT read: its XML is gone through as it is shown."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zipfile import ZipFile

from corpus.errors import UnreadableDocument
from corpus.readers.archives import entry, opened_archive
from corpus.readers.elements.blocks import steps_of
from corpus.readers.elements.protocol import About
from corpus.readers.markup import iso_utc, name_of, parsed_xml
from corpus.readers.office.text.odt_body import Body
from corpus.readers.steps import Step


def read_odt(path: Path) -> Iterator[Step]:
    """Blocks with heading paths; UnreadableDocument when it is damaged, locked or no ODT."""
    with opened_archive(path, "ODT") as archive:
        content = entry(archive, "content.xml")
        if content is None:
            raise UnreadableDocument("damaged: it cannot be read as an ODT")
        if b"manifest:encryption-data" in (entry(archive, "META-INF/manifest.xml") or b""):
            raise UnreadableDocument("encrypted, needs a password")
        root = parsed_xml(content)
        body = root.find("{*}body/{*}text")
        if body is None:
            raise UnreadableDocument("damaged: it cannot be read as an ODT")
        about = about_of(archive)
        yield from steps_of(Body(archive, root, about).elements(body), about)


def about_of(archive: ZipFile) -> About:
    data = entry(archive, "meta.xml")
    said: dict[str, str] = {}
    for node in parsed_xml(data).iter() if data else ():
        said.setdefault(name_of(node), (node.text or "").strip())
    try:
        date = iso_utc(datetime.fromisoformat((said.get("creation-date") or said.get("date") or "")[:19]))
    except ValueError:
        date = None
    author = said.get("initial-creator") or said.get("creator")
    return About(title=said.get("title") or None, author=author or None, document_date=date)
