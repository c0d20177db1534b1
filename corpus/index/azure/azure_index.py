"""`AzureIndex`: the `Index` protocol over an Azure AI Search service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import TYPE_CHECKING

import anyio

from corpus.access import Caller
from corpus.documents.block import Block, Picture
from corpus.documents.document import Document
from corpus.documents.line_boxes import LineBox
from corpus.index.azure import listing, lookup, name_variants
from corpus.index.azure.filter_conditions import explain_refusal
from corpus.index.azure.pictures import Container, PictureStore
from corpus.index.azure.schema.index_schema import Shapes
from corpus.index.azure.search import Searcher, Wishes
from corpus.index.azure.service.clients import Service, Timing
from corpus.index.azure.service.connection import Connection
from corpus.index.azure.service.on_behalf_of import OnBehalfOf
from corpus.index.azure.view import View
from corpus.index.protocol import Begun, Counts
from corpus.search import DocumentList, Listing, Search, SearchResult

if TYPE_CHECKING:
    from corpus.embedding.protocol import Embedder


@dataclass(frozen=True, slots=True)
class Place:
    """The two indexes of a service, with their settings and their picture container."""

    service: Service
    content_index: str = "content-blocks"
    documents_index: str = "documents-metadata"
    wishes: Wishes = field(default_factory=Wishes)
    principal_prefixes: bool | None = None
    pictures: Container | None = None
    with_token: bool = False
    on_behalf_of: OnBehalfOf | None = None
    """Token exchange for callers. If set, every read requires the caller's token."""


class AzureIndex:
    """An `Index` and an async context manager. It sends no request before the first call.

    In addition to the errors of the protocol, every method raises AzureSearchError, Timeout, and NotConfigured if an
    index lacks a required field.
    """

    def __init__(self, place: Place, embedder: Embedder | None, timing: Timing | None = None) -> None:
        self._place = place
        self._connection = Connection(place.service, timing)
        self._finder = Searcher(place.wishes, embedder)
        self._reading = anyio.Lock()
        self._shapes: Shapes | None = None
        self._pictures = PictureStore(place.pictures) if place.pictures else None

    async def find(self, search: Search, caller: Caller) -> SearchResult:
        """Return up to `top_k` of the best readable blocks."""
        view = await self._view(caller)
        with explain_refusal(view, search.filters):
            return await self._finder.find(view, search)

    async def list_documents(self, wanted: Listing, caller: Caller) -> DocumentList:
        """Return a page of readable documents. Raises InvalidRequest for a cursor from another list."""
        view = await self._view(caller)
        with explain_refusal(view, wanted.filters):
            return await listing.list_page(view, wanted)

    async def document(self, doc_id: str, caller: Caller) -> Document:
        """Return a document. Raises DocumentNotFound."""
        return await lookup.document(await self._view(caller), doc_id)

    async def documents(self, doc_ids: Sequence[str], caller: Caller) -> Mapping[str, Document]:
        """Return the readable documents, keyed by id."""
        return await lookup.documents(await self._view(caller), doc_ids)

    async def by_name(self, name: str, caller: Caller) -> tuple[Document, ...]:
        """Return at most 20 readable documents that the name may refer to."""
        return await name_variants.documents_by_name(await self._view(caller), name)

    async def blocks(self, block_ids: Sequence[str], caller: Caller) -> tuple[Block, ...]:
        """Return the readable blocks, in the given order."""
        return await lookup.blocks(await self._view(caller), block_ids)

    async def pages(self, doc_id: str, first: int, last: int, caller: Caller) -> tuple[Block, ...]:
        """Return the blocks of these pages in reading order. Raises DocumentNotFound."""
        return await lookup.pages(await self._view(caller), doc_id, first, last)

    async def figures(self, doc_id: str, caller: Caller) -> tuple[Block, ...]:
        """Return the image blocks in reading order. Raises DocumentNotFound."""
        return await lookup.figures(await self._view(caller), doc_id)

    async def picture(self, block_id: str, caller: Caller) -> Picture:
        """Return the image of an image block. Raises DocumentNotFound or InvalidRequest."""
        return await lookup.picture(await self._view(caller), block_id)

    async def picture_addresses(self, block_ids: Sequence[str], caller: Caller) -> Mapping[str, str]:
        """Return signed addresses of pictures, keyed by block id."""
        return await lookup.picture_addresses(await self._view(caller), block_ids)

    async def page_picture(self, doc_id: str, page_number: int, caller: Caller) -> Picture | None:
        """Return an uploaded picture of a page, or None. Raises DocumentNotFound."""
        return await lookup.page_picture(await self._view(caller), doc_id, page_number)

    async def lines(self, block_ids: Sequence[str], caller: Caller) -> Mapping[str, tuple[LineBox, ...]]:
        """Return an empty mapping: the service stores no line boxes."""
        return {}

    async def matches(self, field: str, wanted: Sequence[str], caller: Caller) -> Mapping[str, str]:
        """Return the wanted values that occur, each mapped to the index's spelling of it. Raises InvalidRequest."""
        return await name_variants.matches(await self._view(caller), field, wanted)

    async def values(self, field: str, caller: Caller) -> tuple[str, ...]:
        """Return the distinct values of a field, sorted. Raises InvalidRequest."""
        return await name_variants.values(await self._view(caller), field)

    async def begun(self, typed: str, most: int, caller: Caller) -> Begun:
        """Return ids of documents whose id, title or file name matches the input."""
        return await lookup.begun(await self._view(caller), typed, most)

    async def counts(self, caller: Caller) -> Counts:
        """Return totals over the documents that the caller may read."""
        return await lookup.counts(await self._view(caller))

    async def generation(self) -> None:
        """Return None: the service does not report changes."""

    async def extent(self, caller: Caller) -> str:
        """Return an empty string: the service does not report changes."""
        return ""

    async def aclose(self) -> None:
        """Close the connections to the service, the picture container and the token issuer."""
        await self._connection.aclose()
        if self._place.on_behalf_of:
            await self._place.on_behalf_of.aclose()
        if self._pictures:
            await self._pictures.aclose()

    async def __aenter__(self) -> AzureIndex:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _view(self, caller: Caller) -> View:
        """Return the caller's view. The schemas are read once; if that fails, the next call tries again. Raises
        AccessDenied if the exchange of the caller's token fails."""
        place = self._place
        if place.on_behalf_of:
            caller = replace(caller, token=await place.on_behalf_of.token(caller.token))
        async with self._reading:
            if self._shapes is None:
                self._shapes = await Shapes.read(self._connection, place.content_index, place.documents_index)
        await self._shapes.refresh(self._connection)
        wanted = place.principal_prefixes
        prefixed, guessed = self._shapes.prefixed(wanted), self._shapes.guessed(wanted)
        with_token = place.with_token or place.on_behalf_of is not None
        return View(self._connection, self._shapes, caller, prefixed, guessed, self._pictures, with_token)
