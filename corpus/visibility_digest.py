"""Visibility digests, which change only if something that the caller may see changes.

Neither documents that do not exist nor documents that the caller may not read have a digest, so comparing digests
discloses nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from corpus.access import Caller
from corpus.documents.block import KEY

if TYPE_CHECKING:
    from corpus.documents.document import Document
    from corpus.index.protocol import Index


Digests = dict[str, str]
"""Digests of readable documents or blocks, keyed by id."""


class VisibilityDigests:
    """Computes visibility digests for one index."""

    def __init__(self, index: Index) -> None:
        self._index = index

    async def generation(self) -> str | None:
        """Return a string that is different after every change to the index, visible or not, or None if the index has
        no generations."""
        return await self._index.generation()

    async def documents(self, doc_ids: Collection[str], caller: Caller) -> Digests:
        """Return the digests of the readable documents with these ids."""
        ids = _keys(doc_ids)
        documents = await self._index.documents(ids, caller) if ids else {}
        return {doc_id: _digest(document) for doc_id, document in documents.items()}

    async def blocks(self, block_ids: Collection[str], caller: Caller) -> Digests:
        """Return the digests of the readable blocks with these ids. The digest of a block is that of its document."""
        ids = _keys(block_ids)
        blocks = await self._index.blocks(ids, caller) if ids else ()
        documents = await self.documents({block.doc_id for block in blocks}, caller)
        return {block.block_id: documents[block.doc_id] for block in blocks if block.doc_id in documents}

    async def extent(self, caller: Caller) -> str:
        """Return a digest of the set of readable documents."""
        return await self._index.extent(caller)


def _keys(ids: Collection[str]) -> list[str]:
    return sorted(key for key in ids if KEY.fullmatch(key))


def _digest(document: Document) -> str:
    visible = replace(document, access_control_list=(), source_path="", source_size=0, source_mtime_ns=0)
    return hashlib.sha256(repr(visible).encode("utf-8", "surrogatepass")).hexdigest()


EMPTY = (
    "The index is empty: no document has been read. `ibid ingest FOLDER` reads one, or RAG_DOCUMENTS names folders "
    "that the server reads by itself."
)


@dataclass(frozen=True, slots=True)
class IndexState:
    """The state of the index. `notes` are messages; `empty` is true if the index contains no documents."""

    notes: tuple[str, ...] = ()
    empty: bool = False
