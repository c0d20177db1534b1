"""`ibid remove`"""

from __future__ import annotations

from pathlib import Path

import click

from corpus.documents import Document
from corpus.errors import AmbiguousDocument, DocumentNotFound, InvalidRequest
from corpus.ingestion.sources import absolute
from server.commands.running import run, settings_and_logs
from server.commands.shown import line
from server.settings import Settings


@click.command("remove")
@click.argument("documents", nargs=-1, required=True, metavar="DOC...")
def command(documents: tuple[str, ...]) -> None:
    """Remove documents from the index, by id, file name or path. The files themselves stay.

    Like ingest, this is for the person who keeps the index: access lists do not limit it.
    """
    settings = settings_and_logs(local=True)
    for document in run(lambda: _remove(settings, documents)):
        click.echo(f"removed {line(document.filename)} ({document.doc_id})")


async def _remove(settings: Settings, names: tuple[str, ...]) -> list[Document]:
    """All or none: every name is looked up before the first document goes."""
    from server.wiring import workshop

    async with workshop(settings) as place:
        known = await place.index.all_documents()
        meant = [_meant(name, known) for name in names]
        for document in meant:
            await place.index.remove(document.doc_id)
    return meant


def _meant(name: str, known: tuple[Document, ...]) -> Document:
    path = _path(name)
    found = [one for one in known if name == one.doc_id] or [one for one in known if path == one.source_path]
    found = found or [one for one in known if name.casefold() == one.filename.casefold()]
    if not found:
        raise DocumentNotFound(f"No document {name!r} in this index. `ibid list` shows ids and file names.")
    if len(found) > 1:
        options = tuple((one.doc_id, f"{one.doc_id} ({one.source_path})") for one in found)
        raise AmbiguousDocument(f"{name!r} fits {len(found)} documents. Name one by its id:", options=options)
    return found[0]


def _path(name: str) -> str | None:
    try:
        return str(absolute(Path(name)))
    except InvalidRequest:  # a name that looks like a home folder may still be that of a document
        return None
