"""An Azure AI Search service as the rest of the program sees it: the promises of every index, kept by requests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING

import anyio

from corpus.access import Caller
from corpus.documents.block import Block, Picture
from corpus.documents.document import Document
from corpus.documents.line_boxes import LineBox
from corpus.index.azure import listing, lookup, name_variants
from corpus.index.azure.clients import Service, Timing
from corpus.index.azure.connection import Connection
from corpus.index.azure.filters import possible
from corpus.index.azure.index_schema import Shapes
from corpus.index.azure.pictures import Container, PictureStore
from corpus.index.azure.search import Finder, Wishes
from corpus.index.azure.view import View
from corpus.index.protocol import Begun, Counts
from corpus.search import DocumentList, Listing, Search, SearchResult

if TYPE_CHECKING:
    from corpus.embedding.protocol import Embedder


@dataclass(frozen=True, slots=True)
class Place:
    """Which indexes of which service, what the settings say of them, and where their pictures are."""

    service: Service
    content_index: str = "content-blocks"
    documents_index: str = "documents-metadata"
    wishes: Wishes = field(default_factory=Wishes)
    principal_prefixes: bool | None = None
    pictures: Container | None = None
    with_token: bool = False


class AzureIndex:
    """An `Index`, and an async context manager. Nothing is sent before the first question.

    Every method raises AzureSearchError or Timeout beside what the protocol says, and NotConfigured where an index
    lacks what cannot be done without.
    """

    def __init__(self, place: Place, embedder: Embedder | None, timing: Timing | None = None) -> None:
        self._place = place
        self._connection = Connection(place.service, timing)
        self._finder = Finder(place.wishes, embedder)
        self._reading = anyio.Lock()
        self._shapes: Shapes | None = None
        self._pictures = PictureStore(place.pictures) if place.pictures else None

    async def find(self, search: Search, caller: Caller) -> SearchResult:
        view = await self._view(caller)
        with possible(view, search.filters):
            return await self._finder.find(view, search)

    async def list_documents(self, wanted: Listing, caller: Caller) -> DocumentList:
        view = await self._view(caller)
        with possible(view, wanted.filters):
            return await listing.listed(view, wanted)

    async def document(self, doc_id: str, caller: Caller) -> Document:
        return await lookup.document(await self._view(caller), doc_id)

    async def documents(self, doc_ids: Sequence[str], caller: Caller) -> Mapping[str, Document]:
        return await lookup.documents(await self._view(caller), doc_ids)

    async def named(self, name: str, caller: Caller) -> tuple[Document, ...]:
        return await name_variants.named(await self._view(caller), name)

    async def blocks(self, block_ids: Sequence[str], caller: Caller) -> tuple[Block, ...]:
        return await lookup.blocks(await self._view(caller), block_ids)

    async def pages(self, doc_id: str, first: int, last: int, caller: Caller) -> tuple[Block, ...]:
        return await lookup.pages(await self._view(caller), doc_id, first, last)

    async def figures(self, doc_id: str, caller: Caller) -> tuple[Block, ...]:
        return await lookup.figures(await self._view(caller), doc_id)

    async def picture(self, block_id: str, caller: Caller) -> Picture:
        return await lookup.picture(await self._view(caller), block_id)

    async def picture_addresses(self, block_ids: Sequence[str], caller: Caller) -> Mapping[str, str]:
        return await lookup.picture_addresses(await self._view(caller), block_ids)

    async def page_picture(self, doc_id: str, page_number: int, caller: Caller) -> Picture | None:
        return await lookup.page_picture(await self._view(caller), doc_id, page_number)

    async def lines(self, block_ids: Sequence[str], caller: Caller) -> Mapping[str, tuple[LineBox, ...]]:
        return {}

    async def matches(self, field: str, wanted: Sequence[str], caller: Caller) -> Mapping[str, str]:
        return await name_variants.matches(await self._view(caller), field, wanted)

    async def values(self, field: str, caller: Caller) -> tuple[str, ...]:
        return await name_variants.values(await self._view(caller), field)

    async def begun(self, typed: str, most: int, caller: Caller) -> Begun:
        return await lookup.begun(await self._view(caller), typed, most)

    async def counts(self, caller: Caller) -> Counts:
        return await lookup.counts(await self._view(caller))

    async def generation(self) -> None:
        """The service tells nobody of changes."""

    async def extent(self, caller: Caller) -> str:
        return ""

    async def aclose(self) -> None:
        await self._connection.aclose()
        if self._pictures:
            await self._pictures.aclose()

    async def __aenter__(self) -> AzureIndex:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _view(self, caller: Caller) -> View:
        """What both indexes are like is read once; a failure is tried again at the next question."""
        place = self._place
        async with self._reading:
            if self._shapes is None:
                self._shapes = await Shapes.read(self._connection, place.content_index, place.documents_index)
        await self._shapes.refresh(self._connection)
        wanted = place.principal_prefixes
        prefixed, guessed = self._shapes.prefixed(wanted), self._shapes.guessed(wanted)
        return View(
            self._connection, self._shapes, caller, prefixed, guessed, self._pictures, place.with_token
        )
