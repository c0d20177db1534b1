"""`ibid status`: print the contents of the index and how current it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import anyio.to_thread
import click

from corpus.documents.document import Document
from corpus.documents.staleness import Staleness, staleness
from corpus.embedding import packaged_is_there
from corpus.index.protocol import Counts
from corpus.ingestion.report import grouped
from corpus.ingestion.run_log import LogState, RunState, read_log
from server.calls.deadlines import limit_of
from server.commands.document_argument import find_document
from server.commands.running import run, settings_and_logs
from server.commands.terminal import Part, json_option, print_json, print_line, unbroken
from server.folder_sync.ingestion_status import how_far
from server.settings.model import Settings, where

if TYPE_CHECKING:
    from corpus.index.local import LocalIndex


Choose = Callable[[Sequence[Document]], Sequence[Document]]
EVERYTHING = 100_000


@dataclass(frozen=True, slots=True)
class Row:
    """A document in the status. `tables` and `pages_without_text` are None unless its text was examined."""

    document: Document
    state: Staleness
    blocks: int
    figures: int
    without_vector: int
    tables: int | None = None
    pages_without_text: int | None = None

    @property
    def is_notable(self) -> bool:
        """Return whether the document has warnings or is not current."""
        return bool(self.document.warnings) or self.state != "current"


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """The status of the index. `rows` are the chosen documents, or the notable ones if none were chosen."""

    index: str
    counts: Counts
    rows: tuple[Row, ...] = ()
    record: LogState = field(default_factory=LogState)

    def as_json(self) -> dict[str, Any]:
        """Return the status in the form that `ibid status --json` prints."""
        return {
            "index": self.index,
            "counts": asdict(self.counts),
            "runs": [asdict(run) for run in self.record.runs],
            "failures": [asdict(failure) for failure in self.record.failures],
            "documents": [_row_facts(row) for row in self.rows],
        }


async def index_status(settings: Settings, choose: Choose | None) -> IndexStatus:
    """Collect the status. `choose` selects documents whose text is also examined; it may raise DocumentNotFound."""
    from server.bootstrap import caller, library, workshop

    who = caller(settings)
    if settings.backend == "azure":
        async with library(settings, create=False) as shelf:
            return IndexStatus(where(settings), await shelf.counts(who))
    from corpus.search import Listing

    async with workshop(settings, create=False) as place:
        counts = await place.index.counts(who)
        listing = Listing(limit=EVERYTHING, sort_by="filename")
        documents = (await place.index.list_documents(listing, who)).documents
        chosen = documents if choose is None else choose(documents)
        rows = await _rows(place.index, chosen, settings, through=choose is not None)
        record = await anyio.to_thread.run_sync(read_log, settings.data_dir)
    visible = rows if choose else [row for row in rows if row.is_notable]
    return IndexStatus(where(settings), counts, tuple(visible), record)


async def _rows(index: LocalIndex, documents: Sequence[Document], settings: Settings, *, through: bool) -> list[Row]:
    from server.bootstrap import caller

    who = caller(settings)
    holdings = await index.holdings(who)
    looked = await index.contents([holding.doc_id for holding in documents], who) if through else {}
    states = await anyio.to_thread.run_sync(lambda: [_staleness(holding) for holding in documents])
    rows = []
    for document, state in zip(documents, states, strict=True):
        if holding := holdings.get(document.doc_id):
            lacking = 0 if settings.embedder == "none" else holding.without_vector
            row = Row(document, state, holding.blocks, holding.figures, lacking)
            content = looked.get(document.doc_id)
            tables, pages = (content.tables, content.pages_with_text) if content else (0, 0)
            rows.append(_with(row, tables, pages) if through else row)
    return rows


def _staleness(document: Document) -> Staleness:
    return staleness(document) if document.source_path else "current"


def _with(row: Row, tables: int, pages_with_text: int) -> Row:
    pages = row.document.page_count
    empty = None if pages is None else max(pages - pages_with_text, 0)
    return Row(row.document, row.state, row.blocks, row.figures, row.without_vector, tables, pages_without_text=empty)


def _row_facts(row: Row) -> dict[str, Any]:
    document = row.document
    return {
        "doc_id": document.doc_id, "filename": document.filename, "source_path": document.source_path,
        "pages": document.page_count, "blocks": row.blocks, "figures": row.figures, "tables": row.tables,
        "pages_without_text": row.pages_without_text, "without_vector": row.without_vector,
        "state": row.state, "warnings": list(document.warnings),
    }  # fmt: skip


def row_text(row: Row) -> str:
    """Return `12 pages, 40 blocks, 3 figures`; counts of zero are left out."""
    counted: Iterable[tuple[int | None, str]] = (
        (row.document.page_count, "page"), (row.blocks, "block"), (row.figures, "figure"), (row.tables, "table"),
        (row.pages_without_text, "page without text"), (row.without_vector, "vector pending"),
    )  # fmt: skip
    return ", ".join(_counted(count, name) for count, name in counted if count)


def _counted(count: int, name: str) -> str:
    thing, blank, rest = name.partition(" ")
    return f"{count} {thing if count == 1 else thing + 's'}{blank}{rest}"


MAX_ROWS = 20
"""Maximum number of files and documents that are listed without --all."""

Parts = tuple[str | Part, ...]

STATES = {
    "changed": "changed since it was indexed; ingest it again to see the new text.",
    "gone": "is no longer where it was indexed from.",
    "closed": "cannot be opened where it was indexed from.",
}


@click.command("status")
@click.argument("documents", nargs=-1, metavar="[DOC...]")
@click.option("--all", "every", is_flag=True, help="List each document and each file that could not be read.")
@json_option
def command(documents: tuple[str, ...], every: bool, as_json: bool) -> None:
    """Show counts of the documents that you may read, how current they are, running ingestions, and files that could
    not be read.

    With DOC (id, path or file name), show these documents; otherwise show documents with warnings or changed files.
    """
    settings = settings_and_logs()
    if settings.backend == "azure" and (documents or every):
        raise click.UsageError("With RAG_BACKEND=azure, status shows counts only. `ibid list` shows the documents.")
    choose = (lambda known: _chosen(known, documents)) if documents or every else None
    state = run(lambda: index_status(settings, choose), seconds=limit_of(settings))
    if as_json:
        print_json(state.as_json())
        return
    for parts in _lines(settings, state, most=None if every or documents else MAX_ROWS):
        print_line(*parts, hanging=_hanging(parts))


def _chosen(known: Sequence[Document], names: Sequence[str]) -> Sequence[Document]:
    return [find_document(name, known) for name in names] if names else known


def _hanging(parts: Parts) -> int:
    """Return the number of columns by which to indent continuation lines: up to the text after a heading, or two more
    than the line itself is indented."""
    first = str(parts[0])
    return 13 if first[0] != " " else len(first) - len(first.lstrip()) + 2


def _lines(settings: Settings, state: IndexStatus, most: int | None) -> Iterator[Parts]:
    counts = state.counts
    yield "Index        ", unbroken(state.index)
    yield (f"Documents    {counts.documents}",)
    yield (f"Blocks       {counts.blocks}, {counts.images} of them figures",)
    yield (f"Vectors      {_vectors(settings, counts, state.record.runs)}",)
    for run_state in state.record.runs:
        yield (f"{'Embedding' if run_state.alive and run_state.embeds else 'Reading':13}{_reading(run_state)}",)
        yield from ((f"Note: {trouble}",) for trouble in run_state.troubles if run_state.alive)
    yield from _failures(state, most)
    yield from _documents(state.rows, most)


def _failures(state: IndexStatus, most: int | None) -> Iterator[Parts]:
    failures = state.record.failures
    if failures:
        yield (f"Failed       {len(failures)}",)
    for failure in failures[:most]:
        yield "  ", unbroken(failure.path), f": {failure.reason}"
    yield from _and_more(len(failures), most)
    if failures:
        yield ("  `ibid remove FILE` removes a file from this list; the next ingestion tries it again.",)


def _documents(rows: Sequence[Row], most: int | None) -> Iterator[Parts]:
    if rows and most is not None:
        yield (f"Notes on     {len(rows)}",)
    names = Counter(row.document.filename for row in rows)
    for row in rows[:most]:
        name = row.document.filename
        yield (
            "  ",
            unbroken(row.document.source_path or name if names[name] > 1 else name),
            f": {row_text(row)}",
        )
        yield from ((f"    {warning}",) for warning in grouped(row.document.warnings))
        if row.state != "current":
            yield "    ", unbroken(row.document.filename), f" {STATES[row.state]}"
    yield from _and_more(len(rows), most)


def _and_more(count: int, most: int | None) -> Iterator[Parts]:
    if most is not None and count > most:
        yield (f"  and {count - most} more; --all lists them",)


def _reading(state: RunState) -> str:
    where = f" under {', '.join(state.roots)}" if state.roots else ""
    if not state.alive:
        return _ended(state, where)
    if state.embeds or state.reads or state.recognises or not state.watches:
        return f"{how_far(state)},{where} (process {state.pid})"
    return f"all read; watching {', '.join(state.roots)} (process {state.pid})"


def _ended(state: RunState, where: str) -> str:
    """Return a note on a run whose process ended prematurely."""
    if state.watches and not state.reads:
        return f"killed{where}; no longer watches for changes there"
    if not state.files:
        return f"interrupted while looking for files{where}; the next ingestion starts again"
    if state.recognises:
        pictures = f"{state.recognised} of {state.pictures} pictures for OCR"
        return f"interrupted at {pictures}{where}; the next ingestion continues"
    if not state.reads:
        return f"interrupted after all {state.files} files{where}; vectors are still pending"
    return f"interrupted at {how_far(state)}{where}; the next ingestion continues"


def _vectors(settings: Settings, counts: Counts, runs: Sequence[RunState]) -> str:
    if settings.backend == "azure":
        return "stored by the service; `ibid doctor` reports how searches use them"
    if settings.embedder == "none":
        return "off (RAG_EMBEDDER=none): keyword search only"
    return _vectors_to_come(settings, counts, runs) if counts.without_vector else "complete"


def _vectors_to_come(settings: Settings, counts: Counts, runs: Sequence[RunState]) -> str:
    if settings.embedder == "packaged" and not packaged_is_there():
        return "off: the model is not installed, keyword search only; `ibid fetch-model` downloads it"
    left = f"{counts.without_vector} of {counts.blocks} pending"
    coming = [one for one in runs if one.alive and one.vectors]
    if embedding := next((one for one in coming if one.embeds), None):
        return f"{left}: process {embedding.pid} is creating them"
    if coming:
        return f"{left}: process {coming[0].pid} creates them while and after reading"
    return f"{left}: run `ibid ingest` on any indexed folder to continue"
