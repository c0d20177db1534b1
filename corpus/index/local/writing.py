"""What changes the database: each function is one step inside one change, committed by its caller."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from corpus.blocks import KEY, Block
from corpus.documents import Document
from corpus.errors import DocumentNotFound
from corpus.index.local import vector_blobs
from corpus.index.local.analysis import stemming
from corpus.index.local.changes import Change
from corpus.index.local.rows import (
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
from corpus.index.protocol import NewBlock
from corpus.line_boxes import packed


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document ready to be written: all that can be refused or computed before the change begins."""

    document: Document
    blocks: tuple[NewBlock, ...]
    passages: tuple[bytes | None, ...]


def prepared(document: Document, blocks: Sequence[NewBlock]) -> Prepared:
    """Raises ValueError for ids that no index could hold and for blocks that are not this document's."""
    _check_key(document.doc_id)
    for new in blocks:
        _check_block(new, document)
    kept = tuple(map(_storable, blocks))
    return Prepared(
        storable_document(document), kept, tuple(passage_digest(passage_of(new.block)) for new in kept)
    )


def _storable(new: NewBlock) -> NewBlock:
    block = storable_block(new.block)
    return new if block is new.block else replace(new, block=block)


def put(change: Change, new: Prepared, *, keep_access: bool, only_known: bool = False) -> None:
    """The document and its blocks, in place of its former self. Raises DocumentNotFound where it must have one."""
    connection = change.connection
    if only_known and not _is_known(connection, new.document.doc_id):
        raise DocumentNotFound(f'No document "{new.document.doc_id}" in the index.')
    document = with_stored_access(connection, new.document) if keep_access else new.document
    doc = _put_document(connection, document)
    before = _passages(connection, doc)
    connection.execute("DELETE FROM blocks WHERE doc = ?", (doc,))
    _put_blocks(connection, doc, new)
    _put_pictures(connection, new.blocks)
    _put_lines(connection, new.blocks)
    _count(connection, doc)
    _note_languages(connection, new)
    vector_blobs.drop_unused(connection, before.difference(new.passages))
    # For every embedder, not only the one in use: passages that did not change keep their vectors.
    for (embedder,) in connection.execute("SELECT id FROM embedders").fetchall():
        vector_blobs.repack(connection, embedder, doc)
    change.touch(doc, words=True)


def change_document(change: Change, document: Document, *, keep_access: bool) -> None:
    """What is known about a document. Raises DocumentNotFound."""
    connection, document = change.connection, storable_document(document)
    row = connection.execute(
        "SELECT id, title, filename, language FROM documents WHERE doc_id = ?", (document.doc_id,)
    ).fetchone()
    if row is None:
        raise DocumentNotFound(f'No document "{document.doc_id}" in the index.')
    _put_document(connection, with_stored_access(connection, document) if keep_access else document)
    change.touch(row[0], words=row[1:] != (document.title, document.filename, document.language))
    connection.execute("INSERT OR IGNORE INTO languages VALUES (?)", (stemming(document.language),))


def delete(change: Change, doc_id: str) -> bool:
    """Whether there was such a document."""
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


def _is_known(connection: sqlite3.Connection, doc_id: str) -> bool:
    return connection.execute("SELECT 1 FROM documents WHERE doc_id = ?", (doc_id,)).fetchone() is not None


def with_stored_access(connection: sqlite3.Connection, document: Document) -> Document:
    """The document with the access list that it has here already, if it is here."""
    row = connection.execute(
        "SELECT access_control_list FROM documents WHERE doc_id = ?", (document.doc_id,)
    ).fetchone()
    return document if row is None else replace(document, access_control_list=tuple(json.loads(row[0])))


def _check_key(key: str) -> None:
    if not KEY.fullmatch(key):
        raise ValueError(f"{key[:80]!r} is no id: letters, digits, _ - and = are.")


def _check_block(new: NewBlock, document: Document) -> None:
    block = new.block
    _check_key(block.block_id)
    if block.doc_id != document.doc_id:
        raise ValueError(
            f"Block {block.block_id!r} is of document {block.doc_id!r}, not {document.doc_id!r}."
        )
    # Here a block is read by whoever reads its document; a list of its own must not be widened in silence.
    if block.access_control_list not in ((), document.access_control_list):
        raise ValueError(f"Block {block.block_id!r} has an access list that differs from its document's.")


def _put_document(connection: sqlite3.Connection, document: Document) -> int:
    """The row id, which a document keeps for life."""
    names, marks = ", ".join(STORED), ", ".join("?" * len(STORED))
    changes = ", ".join(f"{name} = excluded.{name}" for name in STORED)
    row = connection.execute(
        f"INSERT INTO documents ({names}) VALUES ({marks}) "
        f"ON CONFLICT (doc_id) DO UPDATE SET {changes} RETURNING id",
        document_values(document),
    ).fetchone()
    return int(row[0])


def _put_blocks(connection: sqlite3.Connection, doc: int, new: Prepared) -> None:
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
            f"A block id of {new.document.doc_id!r} is there twice or is another document's."
        ) from problem


def _put_pictures(connection: sqlite3.Connection, blocks: Iterable[NewBlock]) -> None:
    connection.executemany(
        "INSERT INTO pictures SELECT id, ?, ? FROM blocks WHERE block_id = ?",
        (
            (new.picture.mime_type, new.picture.data, new.block.block_id)
            for new in blocks
            if new.picture is not None
        ),
    )


def _put_lines(connection: sqlite3.Connection, blocks: Iterable[NewBlock]) -> None:
    connection.executemany(
        "INSERT INTO lines SELECT id, ? FROM blocks WHERE block_id = ?",
        ((packed(new.lines), new.block.block_id) for new in blocks if new.lines),
    )


def _count(connection: sqlite3.Connection, doc: int) -> None:
    connection.execute(
        "UPDATE documents SET (passages, blocks, images) = (SELECT count(passage), count(*), "
        "count(*) FILTER (WHERE block_type = 'image') FROM blocks WHERE doc = ?1) WHERE id = ?1",
        (doc,),
    )


def _note_languages(connection: sqlite3.Connection, new: Prepared) -> None:
    languages = {block_language(block.block, new.document.language) for block in new.blocks}
    connection.executemany(
        "INSERT OR IGNORE INTO languages VALUES (?)", ((one,) for one in sorted(languages))
    )


def block_language(block: Block, of_document: str | None) -> str:
    return stemming(block.language or of_document)


def _passages(connection: sqlite3.Connection, doc: int) -> set[bytes]:
    rows = connection.execute("SELECT passage FROM blocks WHERE doc = ? AND passage IS NOT NULL", (doc,))
    return {passage for (passage,) in rows}
