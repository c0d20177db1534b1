"""Read documents, blocks, pages and pictures, with the caller's rights and within one transaction."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from sqlite3 import Connection

from corpus.access import Caller, may_read
from corpus.documents.block import Block, Picture
from corpus.documents.document import Document
from corpus.documents.line_boxes import LineBox, unpack
from corpus.documents.machine_text import OCR_MARK
from corpus.filters import VALUE_FIELDS, Filters
from corpus.index.local.documents_and_blocks import VECTORS_HELD, blocks_from, conditions, documents_from, passage_of
from corpus.index.local.tables import has_lines
from corpus.index.protocol import Begun, Counts
from corpus.lookup.not_found import no_document, no_picture, no_values_of
from corpus.text.normalization import clean, fold_case

MAX_NAME_MATCHES = 20
"""Maximum number of documents to return for a name, as documented in `Index.by_name`."""
MAX_QUERY_WORDS = 32
"""Maximum number of words in a name or in the query of a listing. Each word becomes a separate SQL condition."""
TABLE_RULE = "| ---"
"""Start of the line below the header of a Markdown table, which shows that a block contains a table."""

_NAMES = "lower(doc_id) || char(10) || title_key || char(10) || filename_key"


@dataclass(frozen=True, slots=True)
class WholeDocument:
    """A document with all its blocks. `vectors` contains the vectors from one embedder, by block id; `waiting` counts
    the passages that have no vector from it."""

    document: Document
    blocks: tuple[Block, ...]
    vectors: Mapping[str, list[float]]
    waiting: int


@dataclass(frozen=True, slots=True)
class Holding:
    """The number of blocks in a document, how many of them are figures, and how many passages have no vector yet."""

    blocks: int
    figures: int
    without_vector: int


@dataclass(frozen=True, slots=True)
class Content:
    """The number of blocks that contain a table or a part of one, and the number of pages with text, whether printed or
    recognised by OCR."""

    tables: int
    pages_with_text: int


@dataclass(frozen=True, slots=True)
class Reader:
    """One view of the database for one caller. `embedder` is a row id, or 0 if there are no vectors."""

    connection: Connection
    caller: Caller
    prefixed: bool
    embedder: int
    embeds: bool

    def document(self, doc_id: str) -> Document:
        """Return a readable document with outline and page labels. Raises DocumentNotFound."""
        doc_id = clean(doc_id)
        documents = self.documents("documents.doc_id = ?", [doc_id])
        if not documents:
            raise no_document(doc_id)
        return documents[0]

    def by_id(self, doc_ids: Sequence[str]) -> dict[str, Document]:
        """Return the readable documents with these ids, keyed by id."""
        ids = [json.dumps(list(doc_ids))]
        documents = self.documents("documents.doc_id IN (SELECT value FROM json_each(?))", ids)
        return {document.doc_id: document for document in documents}

    def documents(self, where: str, parameters: Sequence[object], rest: str = "") -> tuple[Document, ...]:
        """Return readable documents that meet an SQL condition."""
        readable, values = self.where(Filters())
        return documents_from(
            self.connection,
            f"WHERE {readable} AND {where} {rest}",
            (*values, *parameters),
            self.embedder,
            embeds=self.embeds,
        )

    def where(self, filters: Filters) -> tuple[str, list[object]]:
        """Return the SQL condition for readable documents that pass the filters, and its parameters."""
        return conditions(self.caller, filters, prefixed=self.prefixed)

    def by_name(self, name: str) -> tuple[Document, ...]:
        """Return documents with this title or file name or, if there are none, documents whose title or file name
        contains each of its words."""
        key = fold_case(clean(name).strip())
        order = f"ORDER BY title_key, documents.doc_id LIMIT {MAX_NAME_MATCHES}"
        exact = self.documents("(filename_key = ? OR title_key = ?)", [key, key], order)
        words = key.split()[:MAX_QUERY_WORDS]
        if exact or not words:
            return exact
        contains = " AND ".join(["instr(title_key || char(10) || filename_key, ?)"] * len(words))
        return self.documents(contains, words, order)

    def by_prefix(self, prefix: str, limit: int) -> Begun:
        """Return the ids that start with the prefix, then the ids of documents whose id, title or file name contains
        each word of it. Both groups are sorted by id."""
        readable, values = self.where(Filters())
        key = fold_case(clean(prefix).strip())
        words = key.split()[:MAX_QUERY_WORDS]
        where = " AND ".join([readable, *[f"instr({_NAMES}, ?)"] * len(words)])
        rows = self.connection.execute(
            f"SELECT doc_id, count(*) OVER () FROM documents WHERE {where} "
            "ORDER BY instr(lower(doc_id), ?) <> 1, doc_id LIMIT ?",
            (*values, *words, key, limit),
        ).fetchall()
        return Begun(tuple(doc_id for doc_id, _ in rows), rows[0][1] if rows else 0)

    def blocks(self, block_ids: Sequence[str]) -> tuple[Block, ...]:
        """Return the readable blocks with these ids, in the given order."""
        where = "blocks.block_id IN (SELECT value FROM json_each(?))"
        blocks = {block.block_id: block for block in self._blocks(where, [json.dumps(list(block_ids))])}
        return tuple(blocks[block_id] for block_id in dict.fromkeys(block_ids) if block_id in blocks)

    def pages(self, doc_id: str, first: int, last: int) -> tuple[Block, ...]:
        """Return the blocks of these pages, or all blocks if the document has no pages. Raises DocumentNotFound."""
        doc_id, max_page = self.document(doc_id).doc_id, 2**31
        span = [doc_id, min(first, max_page), min(last, max_page)]
        blocks = self._blocks("documents.doc_id = ? AND page_number BETWEEN ? AND ?", span)
        return blocks or self._all_without_pages(doc_id)

    def _all_without_pages(self, doc_id: str) -> tuple[Block, ...]:
        """Return all blocks if the document has no pages, otherwise an empty tuple."""
        blocks = self._blocks("documents.doc_id = ?", [doc_id])
        return () if any(block.page_number is not None for block in blocks) else blocks

    def figures(self, doc_id: str) -> tuple[Block, ...]:
        """Return the image blocks of a document. Raises DocumentNotFound."""
        doc_id = self.document(doc_id).doc_id
        return self._blocks("documents.doc_id = ? AND block_type = 'image'", [doc_id])

    def picture(self, block_id: str) -> Picture:
        """Return the image of a block. Raises DocumentNotFound."""
        block_id = clean(block_id)
        readable, values = self.where(Filters())
        row = self.connection.execute(
            "SELECT data, mime_type FROM pictures JOIN blocks ON blocks.id = pictures.block "
            f"JOIN documents ON documents.id = blocks.doc WHERE {readable} AND block_id = ?",
            (*values, block_id),
        ).fetchone()
        if row is None:
            raise no_picture(block_id)
        return Picture(*row)

    def lines(self, block_ids: Sequence[str]) -> dict[str, tuple[LineBox, ...]]:
        """Return the line boxes of the readable blocks with these ids, keyed by block id."""
        if not has_lines(self.connection):
            return {}
        readable, values = self.where(Filters())
        rows = self.connection.execute(
            "SELECT block_id, places FROM lines JOIN blocks ON blocks.id = lines.block "
            f"JOIN documents ON documents.id = blocks.doc WHERE {readable} "
            "AND block_id IN (SELECT value FROM json_each(?))",
            (*values, json.dumps(list(block_ids))),
        )
        return {block_id: unpack(places) for block_id, places in rows}

    def matches(self, field: str, wanted: Sequence[str]) -> dict[str, str]:
        """Return the wanted values that occur in the field, ignoring case, each mapped to its stored spelling."""
        stored = {fold_case(value): value for value in self.values(field)}
        return {value: stored[key] for value in wanted if (key := fold_case(value.strip())) in stored}

    def values(self, field: str) -> tuple[str, ...]:
        """Return the distinct values of a field in readable documents, sorted. Raises InvalidRequest if the field is
        unknown."""
        if field not in VALUE_FIELDS:
            raise no_values_of(field)
        readable, parameters = self.where(Filters())
        rows = self.connection.execute(
            f"SELECT DISTINCT {field} FROM documents WHERE {readable} AND {field} <> ''", parameters
        )
        return tuple(sorted(value for (value,) in rows))

    def counts(self) -> Counts:
        """Return totals over readable documents."""
        readable, values = self.where(Filters())
        row = self.connection.execute(
            "SELECT count(*), coalesce(sum(blocks), 0), coalesce(sum(images), 0), "
            f"coalesce(sum(passages - {VECTORS_HELD}), 0) FROM documents WHERE {readable}",
            (self.embedder, *values),
        ).fetchone()
        return Counts(*row)

    def visible_set_digest(self) -> str:
        """Return a digest that changes when a document is added or removed, or becomes readable or unreadable. This
        reads only the SQL index of access lists, which is sufficient because row ids are never reused."""
        rows = self.connection.execute(
            "SELECT access_control_list, count(*), sum(id), max(id) FROM documents GROUP BY access_control_list"
        )
        readable = [
            numbers for access, *numbers in rows if may_read(json.loads(access), self.caller, prefixed=self.prefixed)
        ]
        count, total = sum(numbers[0] for numbers in readable), sum(numbers[1] for numbers in readable)
        last = max((numbers[2] for numbers in readable), default=0)
        return hashlib.sha256(f"{count} {total} {last}".encode()).hexdigest()

    def holdings(self) -> dict[str, Holding]:
        """Return the stored counts of every readable document, keyed by id."""
        readable, values = self.where(Filters())
        rows = self.connection.execute(
            f"SELECT doc_id, blocks, images, passages - {VECTORS_HELD} FROM documents WHERE {readable}",
            (self.embedder, *values),
        )
        return {doc_id: Holding(*counts) for doc_id, *counts in rows}

    def contents(self, doc_ids: Sequence[str]) -> dict[str, Content]:
        """Return counts for the readable documents with these ids, keyed by id. This scans their text."""
        readable, values = self.where(Filters())
        rows = self.connection.execute(
            "SELECT doc_id, count(*) FILTER (WHERE instr(content, ?)), "
            "count(DISTINCT page_number) FILTER (WHERE block_type = 'text' OR instr(content, ?)) "
            f"FROM blocks JOIN documents ON documents.id = blocks.doc WHERE {readable} "
            "AND doc_id IN (SELECT value FROM json_each(?)) GROUP BY blocks.doc",
            (TABLE_RULE, OCR_MARK, *values, json.dumps(list(doc_ids))),
        )
        return {doc_id: Content(*counts) for doc_id, *counts in rows}

    def _blocks(self, where: str, parameters: Sequence[object]) -> tuple[Block, ...]:
        readable, values = self.where(Filters())
        rows = blocks_from(self.connection, f"{readable} AND {where}", (*values, *parameters))
        return tuple(block for _, block in rows)


def export_document(reader: Reader, doc_id: str) -> WholeDocument:
    """Return a document with all its blocks and vectors, to be copied elsewhere. Raises DocumentNotFound."""
    # Imported here, because this imports numpy, which must not delay the opening of an index.
    from corpus.index.local.vectors.vector_blobs import exact, numbers

    document = reader.document(doc_id)
    rows = blocks_from(reader.connection, "documents.doc_id = ?", [document.doc_id])
    stored = exact(reader.connection, reader.embedder, [row for row, _ in rows]) if reader.embedder else {}
    vectors = {block.block_id: numbers(stored[row]) for row, block in rows if row in stored}
    passages = sum(1 for _, block in rows if passage_of(block))
    return WholeDocument(document, tuple(block for _, block in rows), vectors, passages - len(vectors))
