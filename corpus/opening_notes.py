"""What an answer should begin with, whatever was asked."""

from __future__ import annotations

from dataclasses import dataclass

EMPTY = (
    "The index is empty: no document has been read. `ibid ingest FOLDER` reads one, or RAG_DOCUMENTS names folders "
    "that the server reads by itself."
)


@dataclass(frozen=True, slots=True)
class IndexState:
    """`notes` are sentences; `empty` says that there is no document, whoever asks."""

    notes: tuple[str, ...] = ()
    empty: bool = False
