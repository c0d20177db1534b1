"""Convert documents and blocks to rows and back, derive a block's passage for embedding, and select the documents that
a caller may read and that pass the filters."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from corpus.access import Caller, is_holdable, readable_clause
from corpus.documents.block import Block, passage_text
from corpus.documents.document import Document, LinkedPicture, OutlineEntry
from corpus.filters import VALUE_FIELDS, Filters
from corpus.index.local.tables import has_reading_columns
from corpus.search import embeddable
from corpus.text.normalization import fold_case, is_text, with_marks

PLAIN = (
    "doc_id", "filename", "title", "document_type", "upload_date", "document_date", "author", "department",
    "page_count", "summary_brief", "summary_standard", "language", "source_path", "source_size",
    "source_mtime_ns", "content_hash", "reader_version",
)  # fmt: skip
LISTS = ("access_control_list", "warnings", "page_labels")
READING = ("pending", "unread", "withheld", "shown")
"""Columns about how a document was read, which are needed only for ingestion."""
KEYS = ("filename_key", "title_key", "type_key", "described")

STORED = (*PLAIN, *LISTS, *READING, "outline", *KEYS)

MAX_PASSAGE_CHARACTERS = 4_000
"""Maximum length of a passage in characters. Longer passages are cut off, because the cost of embedding grows with the
length."""

KINDS = {"text": 0, "image": 1}
"""Numbers that represent the block types in the BM25 index and with the vectors."""

Unit = tuple[int, int]
"""Row id of a document, and one of its page numbers or, if it has no pages, a negative number for the position of a
block."""


def page_unit(doc: int, page: int | None, position: int) -> Unit:
    """Return the unit for a block's page or, in a document without pages, for the block itself."""
    return doc, page if page else -1 - position


BLOCK_PLAIN = (
    "block_id", "block_type", "content", "image_url", "image_caption", "page_number", "page_label",
    "chunk_number", "heading", "start_line", "end_line", "char_start", "char_end", "language",
)  # fmt: skip

_COLUMNS = [f"documents.{name}" for name in (*PLAIN, *LISTS, *READING, "outline", "passages")]
DOCUMENT_COLUMNS = ", ".join(_COLUMNS)
"""Columns that `document_of` reads. In a row, they are followed by the number of vectors from the current embedder."""
_OF_READING = {f"documents.{name}" for name in READING}
OLDER_COLUMNS = ", ".join("'[]'" if name in _OF_READING else name for name in _COLUMNS)
"""The same columns for a read-only index in an older format."""
BRIEF_COLUMNS = ", ".join(
    "'[]'" if name in ("documents.outline", "documents.page_labels", *_OF_READING) else name for name in _COLUMNS
)
"""The same columns, with placeholders for those that are needed only for ingestion or that grow with a document's
length."""
BLOCK_COLUMNS = ", ".join(f"blocks.{name}" for name in (*BLOCK_PLAIN, "bbox"))

VECTORS_HELD = "coalesce((SELECT sum(held) FROM packs WHERE packs.embedder = ? AND packs.doc = documents.id), 0)"


def storable(value: Any) -> Any:
    """Return the value with unpaired surrogates, which SQLite refuses, replaced by a replacement character."""
    return with_marks(value) if isinstance(value, str) else value


def storable_document(document: Document) -> Document:
    """Return the document with storable text and an unchanged path. Names that are not valid in an access list are
    dropped, which only makes access more restrictive."""
    return replace(
        document,
        **{name: storable(getattr(document, name)) for name in PLAIN if name != "source_path"},
        access_control_list=tuple(filter(is_holdable, document.access_control_list)),
        warnings=tuple(map(storable, document.warnings)),
        page_labels=tuple(map(storable, document.page_labels)),
        outline=tuple(replace(entry, title=storable(entry.title)) for entry in document.outline),
    )


def storable_block(block: Block) -> Block:
    """Return the block with storable text."""
    values = {name: getattr(block, name) for name in BLOCK_PLAIN}
    marked = {name: storable(value) for name, value in values.items() if not _is_storable(value)}
    return replace(block, **marked) if marked else block


def _is_storable(value: object) -> bool:
    return not isinstance(value, str) or is_text(value)


def passage_of(block: Block) -> str:
    """Return the text that is embedded for a block, cleaned and limited in length."""
    return embeddable(passage_text(block), MAX_PASSAGE_CHARACTERS)


def passage_digest(passage: str) -> bytes | None:
    """Return the digest of a passage, or None if it is empty, because empty passages are not embedded."""
    return hashlib.blake2b(passage.encode(), digest_size=16).digest() if passage else None


def document_values(document: Document) -> tuple[object, ...]:
    """Return the column values in the order of `STORED`."""
    plain = {name: getattr(document, name) for name in PLAIN}
    if not is_text(document.source_path):  # stored as bytes, so that the path is preserved
        plain["source_path"] = document.source_path.encode("utf-8", "surrogatepass")
    lists = [json.dumps(getattr(document, name), ensure_ascii=False) for name in LISTS]
    # ASCII-only JSON, because these columns contain paths, which may not be valid Unicode.
    lists += [json.dumps(getattr(document, name)) for name in READING]
    outline = json.dumps([[e.title, e.level, e.page_number] for e in document.outline], ensure_ascii=False)
    words = "\n".join((document.title, document.filename, document.summary_brief, document.summary_standard))
    keys = [fold_case(text) for text in (document.filename, document.title, document.document_type, words)]
    return (*plain.values(), *lists, outline, *keys)


def document_of(row: Sequence[Any], *, embeds: bool) -> Document:
    """Convert a row of `DOCUMENT_COLUMNS` and the vector count to a document. With `embeds`, the status is `text` if
    some vectors are missing."""
    plain = dict(zip(PLAIN, row, strict=False))
    if isinstance(plain["source_path"], bytes):
        plain["source_path"] = plain["source_path"].decode("utf-8", "surrogatepass")
    ends = len(PLAIN) + len(LISTS) + len(READING)
    lists = dict(zip((*LISTS, *READING), map(_json_tuple, row[len(PLAIN) : ends]), strict=True))
    lists["shown"] = tuple(LinkedPicture(*picture) for picture in lists["shown"])
    outline, passages, vectors = row[ends:]
    entries = outline_from(outline)
    status = "text" if embeds and vectors < passages else "ready"
    return Document(**plain, **lists, outline=entries, status=status)  # type: ignore[arg-type]


def block_values(block: Block) -> tuple[object, ...]:
    """Return the column values in the order of `BLOCK_PLAIN` and `bbox`."""
    bbox = json.dumps(block.bbox) if block.bbox else None
    return (*(getattr(block, name) for name in BLOCK_PLAIN), bbox)


def block_of(row: Sequence[Any], doc_id: str, access_control_list: tuple[str, ...]) -> Block:
    """Convert a row of `BLOCK_COLUMNS`, and the values that the block shares with its document, to a block."""
    plain = dict(zip(BLOCK_PLAIN, row, strict=False))
    bbox = tuple(json.loads(row[-1])) if row[-1] else None
    return Block(**plain, bbox=bbox, doc_id=doc_id, access_control_list=access_control_list)


def blocks_from(connection: sqlite3.Connection, where: str, parameters: Iterable[object]) -> list[tuple[int, Block]]:
    """Return the row ids and blocks that meet a condition on the tables `blocks` and `documents`, in reading order."""
    rows = connection.execute(
        f"SELECT blocks.id, documents.doc_id, documents.access_control_list, {BLOCK_COLUMNS} "
        f"FROM blocks JOIN documents ON documents.id = blocks.doc WHERE {where} "
        "ORDER BY blocks.doc, blocks.position",
        tuple(parameters),
    )
    return [(row[0], block_of(row[3:], row[1], _json_tuple(row[2]))) for row in rows]


def hits_of(
    connection: sqlite3.Connection, blocks: Iterable[int], embedder: int, *, embeds: bool
) -> dict[int, tuple[Block, Document]]:
    """Return the existing blocks with these row ids, together with their documents, which lack outlines and page
    labels."""
    rows = connection.execute(
        f"SELECT blocks.id, {BLOCK_COLUMNS}, {BRIEF_COLUMNS}, {VECTORS_HELD} "
        "FROM blocks JOIN documents ON documents.id = blocks.doc "
        "WHERE blocks.id IN (SELECT value FROM json_each(?))",
        (embedder, json.dumps(list(blocks))),
    )
    ends = 1 + len(BLOCK_PLAIN) + 1
    hits = {}
    for row in rows:
        document = document_of(row[ends:], embeds=embeds)
        hits[row[0]] = (block_of(row[1:ends], document.doc_id, document.access_control_list), document)
    return hits


def documents_from(
    connection: sqlite3.Connection,
    rest: str,
    parameters: Iterable[object],
    embedder: int,
    *,
    embeds: bool,
    columns: str = DOCUMENT_COLUMNS,
) -> tuple[Document, ...]:
    """Return the documents that `SELECT ... FROM documents {rest}` yields."""
    if columns == DOCUMENT_COLUMNS and not has_reading_columns(connection):
        columns = OLDER_COLUMNS
    rows = connection.execute(f"SELECT {columns}, {VECTORS_HELD} FROM documents {rest}", (embedder, *parameters))
    return tuple(document_of(row, embeds=embeds) for row in rows)


def outline_from(stored: str) -> tuple[OutlineEntry, ...]:
    """Parse an outline from its JSON."""
    return tuple(OutlineEntry(title, level, page) for title, level, page in _json_tuple(stored))


def _json_tuple(text: str) -> tuple[Any, ...]:
    return tuple(json.loads(text)) if text != "[]" else ()


def known_embedder(connection: sqlite3.Connection, name: str | None) -> int:
    """Return the row id of an embedder, or 0 (not a valid row id) if the index contains no vectors from it."""
    row = connection.execute("SELECT id FROM embedders WHERE name = ?", (name,)).fetchone()
    return int(row[0]) if row else 0


Conditions = tuple[str, list[object]]
"""The part after WHERE in a query on `documents`, with its parameters."""

_READABLE = (
    "documents.access_control_list IN (WITH lists AS MATERIALIZED "
    "(SELECT DISTINCT access_control_list AS list FROM documents) SELECT list FROM lists WHERE {clause})"
)
"""SQL condition for access. There are many documents but few access lists, so the rule is applied only once to each
list."""


def conditions(caller: Caller, filters: Filters, *, prefixed: bool) -> Conditions:
    """Return the conditions for readable documents that pass the filters. A document passes a filter on blocks if one
    of its blocks does."""
    clause, principals = readable_clause(caller, prefixed=prefixed, list_column="list")
    parts: list[Conditions] = [(_READABLE.format(clause=clause), [*principals])]
    if caller.unfiltered:
        parts = []
    parts += [_any_of(f"documents.{key}", getattr(filters, key)) for key in VALUE_FIELDS if getattr(filters, key)]
    parts += _within("upload_date", filters.uploaded_after, filters.uploaded_before)
    parts += _within("document_date", filters.dated_after, filters.dated_before)
    blocks = [(f"blocks.{key}", getattr(filters, key)) for key in ("block_type", "page_number")]
    parts += [_with_block([_any_of(column, values) for column, values in blocks if values])]
    return " AND ".join(part for part, _ in parts), [value for _, values in parts for value in values]


def _within(column: str, first: str | None, last: str | None) -> Iterator[Conditions]:
    """Yield the conditions for a range of dates. They exclude documents without a date."""
    if first:
        yield f"substr(documents.{column}, 1, 10) >= ?", [first]
    if last:
        yield f"substr(documents.{column}, 1, 10) BETWEEN '0' AND ?", [last]


def _any_of(column: str, values: tuple[object, ...]) -> Conditions:
    return f"{column} IN (SELECT value FROM json_each(?))", [json.dumps(values)]


def _with_block(parts: list[Conditions]) -> Conditions:
    if not parts:
        return "1", []
    where = " AND ".join(part for part, _ in parts)
    values = [value for _, values in parts for value in values]
    return f"EXISTS (SELECT 1 FROM blocks WHERE blocks.doc = documents.id AND {where})", values
