"""`ibid remove`: remove documents from the index, or dismiss files that could not be read."""

from __future__ import annotations

import click

from corpus.documents.document import Document
from corpus.ingestion.run_log import clear_failures, read_log
from server.commands.document_argument import failed_files, find_document
from server.commands.last_exchange import forget_turns
from server.commands.running import run, settings_and_logs
from server.commands.terminal import json_option, print_json, print_line, unbroken
from server.settings.model import Settings


@click.command("remove")
@click.argument("documents", nargs=-1, required=True, metavar="DOC...")
@json_option
def command(documents: tuple[str, ...], as_json: bool) -> None:
    """Remove documents from the index, by id, file name or path. The files themselves stay.

    A file that could not be read is removed from the list of `ibid status`; the next ingestion tries it again.

    Like `ingest`, this command is for the owner of the index: access lists do not limit it.
    """
    settings = settings_and_logs(local=True)
    removed, dismissed = run(lambda: _remove(settings, documents))
    forget_turns(settings.data_dir)
    if as_json:
        rows = [{"doc_id": document.doc_id, "filename": document.filename} for document in removed]
        print_json({"removed": rows, "dismissed": dismissed})
        return
    for document in removed:
        print_line("removed ", unbroken(document.filename), f" ({document.doc_id})", hanging=8)
    for path in dismissed:
        print_line("dismissed ", unbroken(path), hanging=10)


async def _remove(settings: Settings, names: tuple[str, ...]) -> tuple[list[Document], list[str]]:
    """Remove documents, and dismiss failed files. Every name is resolved before the first removal, so that an unknown
    name changes nothing."""
    from server.bootstrap import workshop

    async with workshop(settings, create=False) as place:
        known = await place.index.all_documents()
        failures = [failure.path for failure in read_log(settings.data_dir).failures]
        documents, dismissed = [], []
        for name in names:
            if failed := failed_files(name, failures):
                dismissed += failed
            else:
                documents.append(find_document(name, known))
        for document in documents:
            await place.index.remove(document.doc_id)
            if place.records:  # forget the OCR text that is stored for its pictures
                place.records.forget(document.content_hash)
        if dismissed:
            clear_failures(settings.data_dir, dismissed)
    return documents, dismissed
