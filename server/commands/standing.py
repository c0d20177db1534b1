"""Collect the status of an index: its documents, running ingestions, and files that could not be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import anyio.to_thread

from corpus.documents.document import Document
from corpus.documents.staleness import Staleness, staleness
from corpus.index.protocol import Counts
from corpus.ingestion.run_log import LogState, read_log
from server.settings import Settings, where

if TYPE_CHECKING:
    from corpus.index.local import LocalIndex

Choose = Callable[[Sequence[Document]], Sequence[Document]]
EVERYTHING = 100_000


@dataclass(frozen=True, slots=True)
class Row:
    """A document; `tables` and `pages_without_text` are None where its text was not looked through."""

    document: Document
    state: Staleness
    blocks: int
    figures: int
    without_vector: int
    tables: int | None = None
    pages_without_text: int | None = None

    @property
    def told(self) -> bool:
        """Whether there is something to know about it."""
        return bool(self.document.warnings) or self.state != "current"


@dataclass(frozen=True, slots=True)
class Standing:
    """`rows` are the chosen documents, or those that there is something to know about."""

    index: str
    counts: Counts
    rows: tuple[Row, ...] = ()
    record: LogState = field(default_factory=LogState)

    def as_json(self) -> dict[str, Any]:
        """The status as `ibid status --json` prints it."""
        return {
            "index": self.index,
            "counts": asdict(self.counts),
            "runs": [asdict(run) for run in self.record.runs],
            "failures": [asdict(failure) for failure in self.record.failures],
            "documents": [_facts(row) for row in self.rows],
        }


async def standing(settings: Settings, choose: Choose | None) -> Standing:
    """`choose` picks the documents whose text is looked through too; it may raise DocumentNotFound."""
    from server.wiring import caller, library, workshop

    who = caller(settings)
    if settings.backend == "azure":
        async with library(settings, create=False) as shelf:
            return Standing(where(settings), await shelf.counts(who))
    from corpus.search import Listing

    async with workshop(settings, create=False) as place:
        counts = await place.index.counts(who)
        listing = Listing(limit=EVERYTHING, sort_by="filename")
        documents = (await place.index.list_documents(listing, who)).documents
        chosen = documents if choose is None else choose(documents)
        rows = await _rows(place.index, chosen, settings, through=choose is not None)
        record = await anyio.to_thread.run_sync(read_log, settings.data_dir)
    visible = rows if choose else [row for row in rows if row.told]
    return Standing(where(settings), counts, tuple(visible), record)


async def _rows(
    index: LocalIndex, documents: Sequence[Document], settings: Settings, *, through: bool
) -> list[Row]:
    from server.wiring import caller

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
    return Row(
        row.document, row.state, row.blocks, row.figures, row.without_vector, tables, pages_without_text=empty
    )


def _facts(row: Row) -> dict[str, Any]:
    document = row.document
    return {
        "doc_id": document.doc_id, "filename": document.filename, "source_path": document.source_path,
        "pages": document.page_count, "blocks": row.blocks, "figures": row.figures, "tables": row.tables,
        "pages_without_text": row.pages_without_text, "without_vector": row.without_vector,
        "state": row.state, "warnings": list(document.warnings),
    }  # fmt: skip


def in_words(row: Row) -> str:
    """`12 pages, 40 blocks, 3 figures`; what is none is left out."""
    counted: Iterable[tuple[int | None, str]] = (
        (row.document.page_count, "page"), (row.blocks, "block"), (row.figures, "figure"), (row.tables, "table"),
        (row.pages_without_text, "page without text"), (row.without_vector, "vector to come"),
    )  # fmt: skip
    return ", ".join(_counted(count, name) for count, name in counted if count)


def _counted(count: int, name: str) -> str:
    thing, blank, rest = name.partition(" ")
    return f"{count} {thing if count == 1 else thing + 's'}{blank}{rest}"
