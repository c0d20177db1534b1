"""The state of the index that every answer starts with."""

from __future__ import annotations

from dataclasses import dataclass

EMPTY = (
    "The index is empty: no document has been read. `ibid ingest FOLDER` reads one, or RAG_DOCUMENTS names folders "
    "that the server reads by itself."
)


@dataclass(frozen=True, slots=True)
class IndexState:
    """`notes` are sentences; `empty` is whether the index holds no document at all."""

    notes: tuple[str, ...] = ()
    empty: bool = False
