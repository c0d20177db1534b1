"""A shelf with the indexes of the design, filled row by row through the SDK, as a company would do it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from corpus.documents.block import passage_text
from corpus.documents.document import Document
from corpus.embedding.protocol import Embedder
from corpus.index.azure import AzureIndex, Place, Service, Timing, Wishes
from corpus.index.azure.service.connection import Connection
from corpus.index.protocol import NewBlock
from tests.azure.design_index import (
    CONTENT,
    DOCUMENTS,
    block_row,
    content_index,
    document_row,
    documents_index,
)
from tests.doubles.azure_search import StandIn
from tests.doubles.digest_embedder import DigestEmbedder

QUICK = Timing(pause=0.01, longest_pause=0.05)


class DesignShelf:
    """A shelf for an index of the design. `index` is the reading side under test. The filling side has its own
    connection."""

    def __init__(self, service: StandIn, index: AzureIndex, filling: Connection, embedder: Embedder) -> None:
        self.service, self.index = service, index
        self._filling, self._embedder = filling, embedder

    async def put(self, document: Document, *blocks: NewBlock) -> None:
        await self.remove(document.doc_id)
        vectors = await self._embedder.passages([passage_text(new.block) for new in blocks])
        rows = [
            block_row(new.block, document.access_control_list, vector.tolist())
            for new, vector in zip(blocks, vectors, strict=True)
        ]
        assert not await self._filling.upload(CONTENT, rows)
        assert not await self._filling.upload(DOCUMENTS, [dict(document_row(document))])

    async def remove(self, doc_id: str) -> None:
        held = [row["block_id"] for row in self.service.documents(CONTENT) if row["doc_id"] == doc_id]
        if held:
            assert not await self._filling.delete(CONTENT, "block_id", held)
        assert not await self._filling.delete(DOCUMENTS, "doc_id", [doc_id])


@asynccontextmanager
async def design_shelf(
    service: StandIn,
    *,
    prefixed: bool | None = None,
    key: str | None = None,
    wishes: Wishes | None = None,
    embedder: Embedder | None = None,
    changes: Mapping[str, Any] | None = None,
) -> AsyncIterator[DesignShelf]:
    """Open empty indexes in this service. `changes` are merged into the definition of the content index."""
    embedder = embedder or DigestEmbedder()
    service.clear()
    service.put_index(content_index(embedder.dimensions) | dict(changes or {}))
    service.put_index(documents_index())
    reading = Service(service.endpoint, key or service.admin_key)
    place = Place(reading, CONTENT, DOCUMENTS, wishes or Wishes(embedder=embedder.id), prefixed)
    async with (
        AzureIndex(place, embedder, QUICK) as index,
        Connection(Service(service.endpoint, service.admin_key), QUICK) as filling,
    ):
        yield DesignShelf(service, index, filling, embedder)
