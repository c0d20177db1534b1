"""`ibid list`: list the documents."""

from __future__ import annotations

from typing import Any

import click

from corpus.documents.document import SORTABLE, Document
from corpus.search import DocumentList, Listing
from server.calls.deadlines import limit_of
from server.commands.running import run, settings_and_logs
from server.commands.terminal import Part, json_option, one_line, print_json, print_line, print_note
from server.settings.model import Settings

HOW_TO_ADD = {
    "local": "`ibid ingest FOLDER` adds documents.",
    "azure": "`ibid azure push` uploads documents; RAG_USER_ID and related settings identify the caller.",
}


@click.command("list")
@click.argument("query", required=False)
@click.option("--sort-by", default="filename", show_default=True, type=click.Choice(SORTABLE), metavar="FIELD",
              help=f"One of {', '.join(SORTABLE)}.")  # fmt: skip
@click.option("--limit", default=100, show_default=True, type=click.IntRange(1, 100_000),
              help="Number of documents to show.")  # fmt: skip
@json_option
def command(query: str | None, sort_by: str, limit: int, as_json: bool) -> None:
    """List the documents. With QUERY, list only documents whose title, file name or summary contains its words."""
    settings = settings_and_logs()
    listed = run(
        lambda: _list(settings, Listing(query=query, sort_by=sort_by, limit=limit)),
        seconds=limit_of(settings),
    )
    if as_json:
        print_json(_as_json(listed))
        return
    for document in listed.documents:
        print_line(Part(document.filename, "bold"), f"  {_facts(document)}", hanging=4)
        print_line(f"    {document.title}  ", Part(document.doc_id, "dim"), hanging=4)
    click.echo(f"{len(listed.documents)} of {listed.total} documents.")
    if not listed.total:
        print_line(HOW_TO_ADD[settings.backend] if query is None else f"None fits {one_line(query)!r}.")
    for warning in listed.warnings:
        print_note(warning)


async def _list(settings: Settings, listing: Listing) -> DocumentList:
    from server.bootstrap import caller, library

    async with library(settings, create=False) as shelf:
        return await shelf.list_documents(listing, caller(settings))


def _as_json(listed: DocumentList) -> dict[str, Any]:
    """Return the fields of the tool `rag_list_documents`."""
    from tools.rag_list_documents import listed_document

    rows = [listed_document(one).model_dump(mode="json") for one in listed.documents]
    return {"documents": rows, "count": len(rows), "total": listed.total, "warnings": list(listed.warnings)}


def _facts(document: Document) -> str:
    count = document.page_count
    pages = "" if count is None else "1 page" if count == 1 else f"{count} pages"
    facts = (document.document_type, pages, document.author or "", f"indexed {document.upload_date[:10]}")
    return ", ".join(fact for fact in facts if fact)
