"""`ibid list`"""

from __future__ import annotations

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from corpus.documents import SORTABLE
from corpus.search import Listed, Listing
from server.commands.running import run, settings_and_logs
from server.settings import Settings


@click.command("list")
@click.argument("query", required=False)
@click.option("--sort-by", default="filename", show_default=True, type=click.Choice(SORTABLE))
@click.option("--limit", default=100, show_default=True, type=click.IntRange(1, 100_000))
def command(query: str | None, sort_by: str, limit: int) -> None:
    """List the documents; with QUERY those whose title, file name or summary holds its words."""
    settings = settings_and_logs()
    listed = run(lambda: _list(settings, Listing(query=query, sort_by=sort_by, limit=limit)))
    console = Console()
    if listed.documents:
        console.print(_table(listed))
    console.print(f"{len(listed.documents)} of {listed.total} documents.", highlight=False)


async def _list(settings: Settings, listing: Listing) -> Listed:
    from server.wiring import caller, library

    async with library(settings) as shelf:
        return await shelf.list_documents(listing, caller(settings))


def _table(listed: Listed) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("Document", "Title", "Type", "Pages", "Indexed", "Id"):
        table.add_column(name, overflow="fold")
    for one in listed.documents:
        pages = str(one.page_count) if one.page_count is not None else ""
        cells = (one.filename, one.title, one.document_type, pages, one.upload_date[:10], one.doc_id)
        table.add_row(*map(escape, cells))
    return table
