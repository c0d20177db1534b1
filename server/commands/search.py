"""`ibid search`: find passages and figures."""

from __future__ import annotations

from typing import Any

import click

from corpus.citations import place
from corpus.search import Hit, SearchResult
from server.calls.deadlines import limit_of
from server.commands.running import run, settings_and_logs
from server.commands.terminal import Part, json_option, print_json, print_line, print_note
from server.settings.model import Settings

SHOWN = 300
"""Maximum number of characters to show of each passage in the list of hits."""


@click.command("search")
@click.argument("query")
@click.option("--top-k", default=10, show_default=True, type=click.IntRange(1, 50), help="Number of hits to show.")
@json_option
def command(query: str, top_k: int, as_json: bool) -> None:
    """Find passages and figures, best first."""
    settings = settings_and_logs()
    results, page_word = run(lambda: _find(settings, query, top_k), seconds=limit_of(settings))
    if as_json:
        print_json(_as_json(results, page_word))
        return
    for number, hit in enumerate(results.hits, 1):
        first = f"{number}. "
        print_line(Part(first + _where(hit), "bold"), "  ", Part(_which(hit), "dim"), hanging=len(first))
        print_line(" " * len(first) + _excerpt(hit), hanging=len(first))
        click.echo()
    if not results.hits:
        click.echo("Nothing found.")
    for warning in results.warnings:
        print_note(warning)


async def _find(settings: Settings, query: str, top_k: int) -> tuple[SearchResult, str]:
    """Return the hits and the word before page numbers."""
    from server.bootstrap import caller, library

    async with library(settings, create=False) as shelf:
        results = await shelf.search(query, caller(settings), top_k=top_k)
        return results, shelf.page_words.for_question(query)


def _as_json(results: SearchResult, page_word: str) -> dict[str, Any]:
    """Return the fields of the tool `rag_semantic_search`, with complete passages."""
    from tools.rag_semantic_search import block_shapes, titled_documents

    documents, rows = (
        [row.model_dump(mode="json", exclude_none=True) for row in part]
        for part in (titled_documents(results.hits), block_shapes(results.hits, page_word, results.mode))
    )
    return {
        "documents": documents,
        "results": rows,
        "result_count": len(rows),
        "mode": results.mode,
        "warnings": list(results.warnings),
    }


def _where(hit: Hit) -> str:
    return ", ".join(part for part in (hit.document.filename, place(hit.block)) if part)


def _which(hit: Hit) -> str:
    """Return the score and the id of a hit."""
    return f"{hit.score:.2f} {hit.block.block_id}"


def _excerpt(hit: Hit) -> str:
    block = hit.block
    text = f"[figure] {block.image_caption or ''}" if block.block_type == "image" else block.content
    text = " ".join(text.split())
    return text if len(text) <= SHOWN else text[:SHOWN].rsplit(None, 1)[0] + " …"
