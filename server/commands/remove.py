"""`ibid remove`"""

from __future__ import annotations

import click

from corpus.documents import Document
from server.commands.as_json import json_option, print_json
from server.commands.last_exchange import forget_turns
from server.commands.layout import tell, whole
from server.commands.meant import meant
from server.commands.running import run, settings_and_logs
from server.settings import Settings


@click.command("remove")
@click.argument("documents", nargs=-1, required=True, metavar="DOC...")
@json_option
def command(documents: tuple[str, ...], as_json: bool) -> None:
    """Remove documents from the index, by id, file name or path. The files themselves stay.

    Like ingest, this is for the person who keeps the index: access lists do not limit it.
    """
    settings = settings_and_logs(local=True)
    removed = run(lambda: _remove(settings, documents))
    forget_turns(settings.data_dir)
    if as_json:
        print_json({"removed": [{"doc_id": one.doc_id, "filename": one.filename} for one in removed]})
        return
    for document in removed:
        tell("removed ", whole(document.filename), f" ({document.doc_id})", hanging=8)


async def _remove(settings: Settings, names: tuple[str, ...]) -> list[Document]:
    """All or none: every name is looked up before the first document goes."""
    from server.wiring import workshop

    async with workshop(settings) as place:
        known = await place.index.all_documents()
        found = [meant(name, known) for name in names]
        for document in found:
            await place.index.remove(document.doc_id)
            if place.records:  # the words of pictures, where not all of it was read yet
                place.records.forget(document.content_hash)
    return found
