"""Documents and blocks as rows, and back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from corpus.access import is_holdable
from corpus.blocks import Block
from corpus.documents import Document, OutlineEntry
from corpus.text import folded, is_text, with_marks

PLAIN = (
    "doc_id", "filename", "title", "document_type", "upload_date", "document_date", "author", "department",
    "page_count", "summary_brief", "summary_standard", "language", "source_path", "source_size",
    "source_mtime_ns", "content_hash", "reader_version",
)  # fmt: skip
LISTS = ("access_control_list", "warnings", "page_labels")
KEYS = ("filename_key", "title_key", "type_key", "described")

STORED = (*PLAIN, *LISTS, "outline", *KEYS)

KINDS = {"text": 0, "image": 1}
"""Block types as the word index and the vectors hold them."""

BLOCK_PLAIN = (
    "block_id", "block_type", "content", "image_url", "image_caption", "page_number", "page_label",
    "chunk_number", "heading", "start_line", "end_line", "char_start", "char_end", "language",
)  # fmt: skip

_COLUMNS = [f"documents.{name}" for name in (*PLAIN, *LISTS, "outline", "passages")]
DOCUMENT_COLUMNS = ", ".join(_COLUMNS)
"""What `document_of` reads; followed by the number of vectors of the embedder in use."""
BRIEF_COLUMNS = ", ".join(
    "'[]'" if name in ("documents.outline", "documents.page_labels") else name for name in _COLUMNS
)
"""The same without what grows with a document's length and is shown for one document alone."""
BLOCK_COLUMNS = ", ".join(f"blocks.{name}" for name in (*BLOCK_PLAIN, "bbox"))

VECTORS_HELD = (
    "coalesce((SELECT sum(held) FROM packs WHERE packs.embedder = ? AND packs.doc = documents.id), 0)"
)


def storable(value: Any) -> Any:
    """What SQLite takes: halves of surrogate pairs, which no reader sees, give way to a mark."""
    return with_marks(value) if isinstance(value, str) else value


def storable_document(document: Document) -> Document:
    """The document as it can be kept. Its path stays what it is; a name that no list can hold is left out of the
    list, which narrows it."""
    return replace(
        document,
        **{name: storable(getattr(document, name)) for name in PLAIN if name != "source_path"},
        access_control_list=tuple(filter(is_holdable, document.access_control_list)),
        warnings=tuple(map(storable, document.warnings)),
        page_labels=tuple(map(storable, document.page_labels)),
        outline=tuple(replace(entry, title=storable(entry.title)) for entry in document.outline),
    )


def storable_block(block: Block) -> Block:
    values = {name: getattr(block, name) for name in BLOCK_PLAIN}
    marked = {name: storable(value) for name, value in values.items() if not _is_storable(value)}
    return replace(block, **marked) if marked else block


def _is_storable(value: object) -> bool:
    return not isinstance(value, str) or is_text(value)


def document_values(document: Document) -> tuple[object, ...]:
    """In the order of `STORED`."""
    plain = {name: getattr(document, name) for name in PLAIN}
    plain["source_path"] = _path_kept(document.source_path)
    lists = [json.dumps(getattr(document, name), ensure_ascii=False) for name in LISTS]
    outline = json.dumps([[e.title, e.level, e.page_number] for e in document.outline], ensure_ascii=False)
    words = "\n".join((document.title, document.filename, document.summary_brief, document.summary_standard))
    keys = [folded(text) for text in (document.filename, document.title, document.document_type, words)]
    return (*plain.values(), *lists, outline, *keys)


def document_of(row: Sequence[Any], *, embeds: bool) -> Document:
    """From `DOCUMENT_COLUMNS` and the number of vectors held. With `embeds`, a document lacking some is `text`."""
    plain = dict(zip(PLAIN, row, strict=False))
    plain["source_path"] = _path_from(plain["source_path"])
    ends = len(PLAIN) + len(LISTS)
    lists = dict(zip(LISTS, map(_listed, row[len(PLAIN) : ends]), strict=True))
    outline, passages, held = row[ends:]
    entries = tuple(OutlineEntry(title, level, page) for title, level, page in _listed(outline))
    status = "text" if embeds and held < passages else "ready"
    return Document(**plain, **lists, outline=entries, status=status)  # type: ignore[arg-type]


def _path_kept(path: str) -> str | bytes:
    """A path that is no Unicode text as bytes, so that it comes back as it is."""
    return path if is_text(path) else path.encode("utf-8", "surrogatepass")


def _path_from(kept: str | bytes) -> str:
    return kept if isinstance(kept, str) else kept.decode("utf-8", "surrogatepass")


def block_values(block: Block) -> tuple[object, ...]:
    """In the order of `BLOCK_PLAIN` and `bbox`."""
    bbox = json.dumps(block.bbox) if block.bbox else None
    return (*(getattr(block, name) for name in BLOCK_PLAIN), bbox)


def block_of(row: Sequence[Any], doc_id: str, access_control_list: tuple[str, ...]) -> Block:
    """From `BLOCK_COLUMNS`, and what a block has from its document."""
    plain = dict(zip(BLOCK_PLAIN, row, strict=False))
    bbox = tuple(json.loads(row[-1])) if row[-1] else None
    return Block(**plain, bbox=bbox, doc_id=doc_id, access_control_list=access_control_list)


def blocks_from(
    connection: sqlite3.Connection, where: str, parameters: Iterable[object]
) -> list[tuple[int, Block]]:
    """Row ids and blocks of the tables `blocks` and `documents`, in reading order."""
    rows = connection.execute(
        f"SELECT blocks.id, documents.doc_id, documents.access_control_list, {BLOCK_COLUMNS} "
        f"FROM blocks JOIN documents ON documents.id = blocks.doc WHERE {where} "
        "ORDER BY blocks.doc, blocks.position",
        tuple(parameters),
    )
    return [(row[0], block_of(row[3:], row[1], _listed(row[2]))) for row in rows]


def hits_of(
    connection: sqlite3.Connection, blocks: Iterable[int], embedder: int, *, embeds: bool
) -> dict[int, tuple[Block, Document]]:
    """These blocks with their documents, of those that are there; the documents without outline and labels."""
    rows = connection.execute(
        f"SELECT blocks.id, {BLOCK_COLUMNS}, {BRIEF_COLUMNS}, {VECTORS_HELD} "
        "FROM blocks JOIN documents ON documents.id = blocks.doc "
        "WHERE blocks.id IN (SELECT value FROM json_each(?))",
        (embedder, json.dumps(list(blocks))),
    )
    return dict(_hit(row, embeds=embeds) for row in rows)


def documents_from(
    connection: sqlite3.Connection,
    rest: str,
    parameters: Iterable[object],
    embedder: int,
    *,
    embeds: bool,
    columns: str = DOCUMENT_COLUMNS,
) -> tuple[Document, ...]:
    """Documents of `... FROM documents {rest}`."""
    rows = connection.execute(
        f"SELECT {columns}, {VECTORS_HELD} FROM documents {rest}",
        (embedder, *parameters),
    )
    return tuple(document_of(row, embeds=embeds) for row in rows)


def _hit(row: Sequence[Any], *, embeds: bool) -> tuple[int, tuple[Block, Document]]:
    ends = 1 + len(BLOCK_PLAIN) + 1
    document = document_of(row[ends:], embeds=embeds)
    return row[0], (block_of(row[1:ends], document.doc_id, document.access_control_list), document)


def _listed(text: str) -> tuple[Any, ...]:
    return tuple(json.loads(text)) if text != "[]" else ()


def known_embedder(connection: sqlite3.Connection, name: str | None) -> int:
    """The row of an embedder; 0, which no row has, as long as the index holds no vector of it."""
    row = connection.execute("SELECT id FROM embedders WHERE name = ?", (name,)).fetchone()
    return int(row[0]) if row else 0
