"""How much of each document an index holds, for the person who keeps it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.filters import Filters
from corpus.index.local.reading import Reader
from corpus.index.local.rows import VECTORS_HELD
from corpus.recognised import RECOGNISED

TABLE = "| ---"
"""How the line under the head of a table begins in the text of a block."""


@dataclass(frozen=True, slots=True)
class Holding:
    """Blocks of a document, how many of them are figures, and passages that have no vector yet."""

    blocks: int
    figures: int
    without_vector: int


@dataclass(frozen=True, slots=True)
class Content:
    """Blocks that hold a table or a part of one, and pages that have text: of their own, or recognised in a picture."""

    tables: int
    pages_with_text: int


def holdings(reader: Reader) -> dict[str, Holding]:
    """Of every readable document, by id, from what is counted anyway."""
    clause, held = reader.where(Filters())
    rows = reader.connection.execute(
        f"SELECT doc_id, blocks, images, passages - {VECTORS_HELD} FROM documents WHERE {clause}",
        (reader.embedder, *held),
    )
    return {doc_id: Holding(*counts) for doc_id, *counts in rows}


def contents(reader: Reader, doc_ids: Sequence[str]) -> dict[str, Content]:
    """Of the readable ones among these documents, by id. Looks through their text."""
    clause, held = reader.where(Filters())
    rows = reader.connection.execute(
        "SELECT doc_id, count(*) FILTER (WHERE instr(content, ?)), "
        "count(DISTINCT page_number) FILTER (WHERE block_type = 'text' OR instr(content, ?)) "
        f"FROM blocks JOIN documents ON documents.id = blocks.doc WHERE {clause} "
        "AND doc_id IN (SELECT value FROM json_each(?)) GROUP BY blocks.doc",
        (TABLE, RECOGNISED, *held, json.dumps(list(doc_ids))),
    )
    return {doc_id: Content(*counts) for doc_id, *counts in rows}
