"""The writing side: each call is one change of the database, after which the word index is brought up to date."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.documents import Document
from corpus.embedding.protocol import Embedder, Vectors
from corpus.index.local import embedding, writing
from corpus.index.local.store import Store
from corpus.index.local.vector_cache import VectorFolder
from corpus.index.local.words import WordIndex
from corpus.index.protocol import NewBlock, Pending


class Writer:
    """Raises Timeout where another process writes for too long."""

    def __init__(self, store: Store, words: WordIndex, embedder: Embedder | None) -> None:
        self._store = store
        self._words = words
        self._embedder = embedder
        self._vector_folder = VectorFolder(store.file.parent, store)

    def replace(
        self, document: Document, blocks: Sequence[NewBlock], *, keep_access: bool, only_known: bool = False
    ) -> None:
        new = writing.prepared(document, blocks)
        with self._store.writing("replace") as change:
            writing.put(change, new, keep_access=keep_access, only_known=only_known)
        self._vector_folder.erase_deleted()
        self._words.catch_up()

    def update(self, document: Document, *, keep_access: bool) -> None:
        with self._store.writing("update") as change:
            writing.change_document(change, document, keep_access=keep_access)
        self._words.catch_up()

    def remove(self, doc_id: str) -> None:
        with self._store.writing("remove") as change:
            writing.delete(change, doc_id)
        self._vector_folder.erase_deleted()
        self._words.catch_up()

    def pending(self, limit: int) -> tuple[Pending, ...]:
        if self._embedder is None:
            return ()
        with self._store.reading() as (connection, _):
            return embedding.pending(connection, self._embedder.id, limit)

    def store_vectors(self, block_ids: Sequence[str], vectors: Vectors) -> None:
        """Raises ValueError for vectors of another shape, and without an embedder."""
        if self._embedder is None:
            raise ValueError("An index without an embedder keeps no vectors.")
        rows = embedding.check_shape(block_ids, vectors, self._embedder)
        with self._store.writing("vectors") as change:
            embedding.put(change, self._embedder, block_ids, rows)
