"""Looking things up: documents, blocks, pages and pictures, each under the caller's rights in one transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from sqlite3 import Connection

from corpus.access import Caller
from corpus.blocks import Block, Picture
from corpus.documents import Document
from corpus.filters import NAMED, Filters
from corpus.index.local.conditions import conditions
from corpus.index.local.rows import VECTORS_HELD, blocks_from, documents_from
from corpus.index.local.schema import has_lines
from corpus.index.protocol import Counts
from corpus.line_boxes import LineBox, unpacked
from corpus.missing import no_document, no_picture, no_values_of
from corpus.text import clean, folded

MOST_NAMED = 20
MOST_WORDS = 32
"""Of a name or of a listing's query; each is a condition of its own."""


@dataclass(frozen=True, slots=True)
class Reader:
    """One view of the database as one caller sees it; `embedder` is a row id, 0 without vectors."""

    connection: Connection
    caller: Caller
    prefixed: bool
    embedder: int
    embeds: bool

    def document(self, doc_id: str) -> Document:
        doc_id = clean(doc_id)
        found = self.documents("documents.doc_id = ?", [doc_id])
        if not found:
            raise no_document(doc_id)
        return found[0]

    def by_id(self, doc_ids: Sequence[str]) -> dict[str, Document]:
        held = [json.dumps(list(doc_ids))]
        found = self.documents("documents.doc_id IN (SELECT value FROM json_each(?))", held)
        return {document.doc_id: document for document in found}

    def documents(self, where: str, parameters: Sequence[object], rest: str = "") -> tuple[Document, ...]:
        """Readable documents that meet a condition."""
        clause, held = self.where(Filters())
        rest = f"WHERE {clause} AND {where} {rest}"
        return documents_from(self.connection, rest, (*held, *parameters), self.embedder, embeds=self.embeds)

    def where(self, filters: Filters) -> tuple[str, list[object]]:
        return conditions(self.caller, filters, prefixed=self.prefixed)

    def named(self, name: str) -> tuple[Document, ...]:
        key = folded(clean(name).strip())
        order = f"ORDER BY title_key, documents.doc_id LIMIT {MOST_NAMED}"
        equal = self.documents("(filename_key = ? OR title_key = ?)", [key, key], order)
        words = key.split()[:MOST_WORDS]
        if equal or not words:
            return equal
        holds = " AND ".join(["instr(title_key || char(10) || filename_key, ?)"] * len(words))
        return self.documents(holds, words, order)

    def blocks(self, block_ids: Sequence[str]) -> tuple[Block, ...]:
        where = "blocks.block_id IN (SELECT value FROM json_each(?))"
        found = {block.block_id: block for block in self._blocks(where, [json.dumps(list(block_ids))])}
        return tuple(found[block_id] for block_id in dict.fromkeys(block_ids) if block_id in found)

    def pages(self, doc_id: str, first: int, last: int) -> tuple[Block, ...]:
        known, most = self.document(doc_id).doc_id, 2**31
        place = [known, min(first, most), min(last, most)]
        paged = self._blocks("documents.doc_id = ? AND page_number BETWEEN ? AND ?", place)
        return paged or self._unpaged(known)

    def _unpaged(self, doc_id: str) -> tuple[Block, ...]:
        every = self._blocks("documents.doc_id = ?", [doc_id])
        return () if any(block.page_number is not None for block in every) else every

    def figures(self, doc_id: str) -> tuple[Block, ...]:
        known = self.document(doc_id).doc_id
        return self._blocks("documents.doc_id = ? AND block_type = 'image'", [known])

    def picture(self, block_id: str) -> Picture:
        block_id = clean(block_id)
        clause, held = self.where(Filters())
        row = self.connection.execute(
            "SELECT data, mime_type FROM pictures JOIN blocks ON blocks.id = pictures.block "
            f"JOIN documents ON documents.id = blocks.doc WHERE {clause} AND block_id = ?",
            (*held, block_id),
        ).fetchone()
        if row is None:
            raise no_picture(block_id)
        return Picture(*row)

    def lines(self, block_ids: Sequence[str]) -> dict[str, tuple[LineBox, ...]]:
        if not has_lines(self.connection):
            return {}
        clause, held = self.where(Filters())
        rows = self.connection.execute(
            "SELECT block_id, places FROM lines JOIN blocks ON blocks.id = lines.block "
            f"JOIN documents ON documents.id = blocks.doc WHERE {clause} "
            "AND block_id IN (SELECT value FROM json_each(?))",
            (*held, json.dumps(list(block_ids))),
        )
        return {block_id: unpacked(places) for block_id, places in rows}

    def matches(self, field: str, wanted: Sequence[str]) -> dict[str, str]:
        known = {folded(value): value for value in self.values(field)}
        return {one: known[key] for one in wanted if (key := folded(one.strip())) in known}

    def values(self, field: str) -> tuple[str, ...]:
        if field not in NAMED:
            raise no_values_of(field)
        clause, held = self.where(Filters())
        rows = self.connection.execute(
            f"SELECT DISTINCT {field} FROM documents WHERE {clause} AND {field} <> ''",
            held,
        )
        return tuple(sorted(value for (value,) in rows))

    def counts(self) -> Counts:
        clause, held = self.where(Filters())
        row = self.connection.execute(
            "SELECT count(*), coalesce(sum(blocks), 0), coalesce(sum(images), 0), "
            f"coalesce(sum(passages - {VECTORS_HELD}), 0) FROM documents WHERE {clause}",
            (self.embedder, *held),
        ).fetchone()
        return Counts(*row)

    def _blocks(self, where: str, parameters: Sequence[object]) -> tuple[Block, ...]:
        clause, held = self.where(Filters())
        found = blocks_from(self.connection, f"{clause} AND {where}", (*held, *parameters))
        return tuple(block for _, block in found)
