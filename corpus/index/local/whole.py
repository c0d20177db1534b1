"""A document as the database holds it, with every block and the vectors: for those who carry it elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from corpus.blocks import Block
from corpus.documents import Document
from corpus.index.local.packs import exact
from corpus.index.local.passages import passage_of
from corpus.index.local.reading import Reader
from corpus.index.local.rows import blocks_from

DIGITS = 7
"""Behind the point; a float16 of a unit vector holds no more."""


@dataclass(frozen=True, slots=True)
class WholeDocument:
    """`vectors` are of one embedder, by block id; `waiting` counts the passages that have none of it yet."""

    document: Document
    blocks: tuple[Block, ...]
    vectors: Mapping[str, list[float]]
    waiting: int


def whole(reader: Reader, doc_id: str) -> WholeDocument:
    """All of it in the reader's one view. Raises DocumentNotFound."""
    connection, embedder = reader.connection, reader.embedder
    document = reader.document(doc_id)
    rows = blocks_from(connection, "documents.doc_id = ?", [document.doc_id])
    held = exact(connection, embedder, [row for row, _ in rows]) if embedder else {}
    vectors = {block.block_id: _numbers(held[row]) for row, block in rows if row in held}
    passages = sum(1 for _, block in rows if passage_of(block))
    return WholeDocument(document, tuple(block for _, block in rows), vectors, passages - len(vectors))


def _numbers(stored: bytes) -> list[float]:
    numbers: list[float] = np.frombuffer(stored, dtype="<f2").astype(np.float64).round(DIGITS).tolist()
    return numbers
