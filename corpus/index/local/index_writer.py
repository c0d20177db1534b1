"""Write to the local index. Each call runs one transaction and then updates the BM25 index."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from corpus.documents.block import KEY
from corpus.documents.document import Document
from corpus.documents.line_boxes import pack
from corpus.embedding.protocol import Embedder, Vectors
from corpus.errors import DocumentNotFound
from corpus.index.local.bm25_index import BM25Index
from corpus.index.local.documents_and_blocks import (
    BLOCK_PLAIN,
    STORED,
    block_values,
    document_values,
    passage_digest,
    passage_of,
    storable,
    storable_block,
    storable_document,
)
from corpus.index.local.store import Change, Store
from corpus.index.local.vectors import vector_blobs
from corpus.index.local.vectors.vector_cache import VectorFolder
from corpus.index.protocol import NewBlock, Pending


class Writer:
    """The write operations of `LocalIndex`. Every method raises Timeout if another process is writing for too long."""

    def __init__(self, store: Store, bm25: BM25Index, embedder: Embedder | None) -> None:
        self._store = store
        self._bm25 = bm25
        self._embedder = embedder
        self._vector_folder = VectorFolder(store.file.parent, store)

    def replace(
        self, document: Document, blocks: Sequence[NewBlock], *, keep_access: bool, only_known: bool = False
    ) -> None:
        """Replace a document's previous version. Raises ValueError and DocumentNotFound, as `prepare` and `put` do."""
        new = prepare(document, blocks)
        with self._store.writing("replace") as change:
            put(change, new, keep_access=keep_access, only_known=only_known)
        self._vector_folder.remove_outdated()
        self._bm25.catch_up()

    def update(self, document: Document, *, keep_access: bool) -> None:
        """Change a document's metadata. Raises DocumentNotFound."""
        with self._store.writing("update") as change:
            change_document(change, document, keep_access=keep_access)
        self._bm25.catch_up()

    def remove(self, doc_id: str) -> None:
        """Delete a document with its blocks, vectors and pictures, if it exists."""
        with self._store.writing("remove") as change:
            delete(change, doc_id)
        self._vector_folder.remove_outdated()
        self._bm25.catch_up()

    def restricted(self) -> dict[str, tuple[str, ...]]:
        """Return the access lists of content that was refused because it reappeared at a path that more people may
        read, keyed by its SHA-256."""
        with self._store.reading() as (connection, _):
            rows = connection.execute("SELECT content_hash, access_control_list FROM restricted").fetchall()
        return {content_hash: tuple(json.loads(access)) for content_hash, access in rows}

    def restrict(self, content_hash: str, access: tuple[str, ...]) -> None:
        """Store the access list of content that was refused."""
        with self._store.writing("restrict") as change:
            change.connection.execute(
                "INSERT OR REPLACE INTO restricted VALUES (?, ?)", (content_hash, json.dumps(access))
            )

    def pending(self, limit: int) -> tuple[Pending, ...]:
        """Return up to `limit` passages that have no vector."""
        if self._embedder is None:
            return ()
        with self._store.reading() as (connection, _):
            return vector_blobs.pending(connection, self._embedder.id, limit)

    def store_vectors(self, block_ids: Sequence[str], vectors: Vectors) -> None:
        """Store vectors, of shape (len(block_ids), dimensions). Raises ValueError if the shape is different, if a
        number is not finite, or if there is no embedder."""
        if self._embedder is None:
            raise ValueError("An index without an embedder keeps no vectors.")
        rows = vector_blobs.check_shape(block_ids, vectors, self._embedder)
        with self._store.writing("vectors") as change:
            vector_blobs.put_pending(change, self._embedder, block_ids, rows)


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A document that has been validated and converted before the transaction."""

    document: Document
    blocks: tuple[NewBlock, ...]
    passages: tuple[bytes | None, ...]


def prepare(document: Document, blocks: Sequence[NewBlock]) -> PreparedDocument:
    """Validate and convert a document. Raises ValueError for invalid ids, or for blocks of another document."""
    _check_key(document.doc_id)
    for new in blocks:
        _check_block(new, document)
    storable_blocks = tuple(map(_storable, blocks))
    return PreparedDocument(
        storable_document(document),
        storable_blocks,
        tuple(passage_digest(passage_of(new.block)) for new in storable_blocks),
    )


def _storable(new: NewBlock) -> NewBlock:
    block = storable_block(new.block)
    return new if block is new.block else replace(new, block=block)


def put(change: Change, new: PreparedDocument, *, keep_access: bool, only_known: bool = False) -> None:
    """Insert or replace a document and its blocks. With `only_known`, raises DocumentNotFound if the document is
    new."""
    connection = change.connection
    if only_known and not _exists(connection, new.document.doc_id):
        raise DocumentNotFound(f'No document "{new.document.doc_id}" in the index.')
    document = _with_stored_access(connection, new.document) if keep_access else new.document
    doc = _put_document(connection, document)
    before = _passages(connection, doc)
    connection.execute("DELETE FROM blocks WHERE doc = ?", (doc,))
    _put_blocks(connection, doc, new)
    _put_pictures(connection, new.blocks)
    _put_lines(connection, new.blocks)
    _update_counts(connection, doc)
    vector_blobs.drop_unused(connection, before.difference(new.passages))
    # For every embedder, not only the current one, because unchanged passages keep their vectors.
    for (embedder,) in connection.execute("SELECT id FROM embedders").fetchall():
        vector_blobs.repack(connection, embedder, doc)
    change.touch(doc, words=True)


def change_document(change: Change, document: Document, *, keep_access: bool) -> None:
    """Update a document's metadata. Raises DocumentNotFound."""
    connection, document = change.connection, storable_document(document)
    row = connection.execute(
        "SELECT id, title, filename, language FROM documents WHERE doc_id = ?", (document.doc_id,)
    ).fetchone()
    if row is None:
        raise DocumentNotFound(f'No document "{document.doc_id}" in the index.')
    _put_document(connection, _with_stored_access(connection, document) if keep_access else document)
    change.touch(row[0], words=row[1:] != (document.title, document.filename, document.language))


def delete(change: Change, doc_id: str) -> bool:
    """Delete a document. Return False if it does not exist."""
    connection = change.connection
    row = connection.execute("SELECT id FROM documents WHERE doc_id = ?", (storable(doc_id),)).fetchone()
    if row is None:
        return False
    passages = _passages(connection, row[0])
    vector_blobs.drop_document(connection, row[0])
    connection.execute("DELETE FROM documents WHERE id = ?", row)
    vector_blobs.drop_unused(connection, passages)
    change.touch(row[0], words=True)
    return True


def _exists(connection: sqlite3.Connection, doc_id: str) -> bool:
    return connection.execute("SELECT 1 FROM documents WHERE doc_id = ?", (doc_id,)).fetchone() is not None


def _with_stored_access(connection: sqlite3.Connection, document: Document) -> Document:
    """Return the document with the access list that is stored in the index, or unchanged if it is not in the index."""
    row = connection.execute(
        "SELECT access_control_list FROM documents WHERE doc_id = ?", (document.doc_id,)
    ).fetchone()
    return document if row is None else replace(document, access_control_list=tuple(json.loads(row[0])))


def _check_key(key: str) -> None:
    if not KEY.fullmatch(key):
        raise ValueError(f"{key[:80]!r} is not a valid id. An id has only letters, digits, _, - and =.")


def _check_block(new: NewBlock, document: Document) -> None:
    block = new.block
    _check_key(block.block_id)
    if block.doc_id != document.doc_id:
        raise ValueError(f"Block {block.block_id!r} is of document {block.doc_id!r}, not {document.doc_id!r}.")
    # Blocks share their document's access list. A block with a different list is refused instead of silently getting
    # the document's.
    if block.access_control_list not in ((), document.access_control_list):
        raise ValueError(f"Block {block.block_id!r} has an access list that differs from its document's.")


def _put_document(connection: sqlite3.Connection, document: Document) -> int:
    """Insert or update the document, and return its row id, which never changes."""
    names, marks = ", ".join(STORED), ", ".join("?" * len(STORED))
    changes = ", ".join(f"{name} = excluded.{name}" for name in STORED)
    row = connection.execute(
        f"INSERT INTO documents ({names}) VALUES ({marks}) ON CONFLICT (doc_id) DO UPDATE SET {changes} RETURNING id",
        document_values(document),
    ).fetchone()
    return int(row[0])


def _put_blocks(connection: sqlite3.Connection, doc: int, new: PreparedDocument) -> None:
    names = ", ".join(("doc", "position", "passage", *BLOCK_PLAIN, "bbox"))
    marks = ", ".join("?" * (len(BLOCK_PLAIN) + 4))
    rows = (
        (doc, position, passage, *block_values(block.block))
        for position, (block, passage) in enumerate(zip(new.blocks, new.passages, strict=True))
    )
    try:
        connection.executemany(f"INSERT INTO blocks ({names}) VALUES ({marks})", rows)
    except sqlite3.IntegrityError as problem:
        raise ValueError(
            f"A block id of {new.document.doc_id!r} occurs twice or belongs to another document."
        ) from problem


def _put_pictures(connection: sqlite3.Connection, blocks: Iterable[NewBlock]) -> None:
    connection.executemany(
        "INSERT INTO pictures SELECT id, ?, ? FROM blocks WHERE block_id = ?",
        ((new.picture.mime_type, new.picture.data, new.block.block_id) for new in blocks if new.picture is not None),
    )


def _put_lines(connection: sqlite3.Connection, blocks: Iterable[NewBlock]) -> None:
    connection.executemany(
        "INSERT INTO lines SELECT id, ? FROM blocks WHERE block_id = ?",
        ((pack(new.lines), new.block.block_id) for new in blocks if new.lines),
    )


def _update_counts(connection: sqlite3.Connection, doc: int) -> None:
    connection.execute(
        "UPDATE documents SET (passages, blocks, images) = (SELECT count(passage), count(*), "
        "count(*) FILTER (WHERE block_type = 'image') FROM blocks WHERE doc = ?1) WHERE id = ?1",
        (doc,),
    )


def _passages(connection: sqlite3.Connection, doc: int) -> set[bytes]:
    rows = connection.execute("SELECT passage FROM blocks WHERE doc = ? AND passage IS NOT NULL", (doc,))
    return {passage for (passage,) in rows}
