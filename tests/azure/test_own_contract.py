"""Ibid's own indexes, filled by its uploader, fulfil the contract of all indexes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from corpus.index.azure import AzureIndex, Place, Service, Wishes
from corpus.index.azure.pictures import Container, PictureStore
from corpus.index.azure.schema.fields import CAPTION_VECTOR, CONTENT_VECTOR
from corpus.index.azure.schema.index_schema import Mark
from corpus.index.azure.service.connection import Connection
from corpus.index.azure.upload.uploading import Uploader
from tests.access_contract import AccessContract
from tests.azure.design_shelf import QUICK
from tests.azure.pushed_shelf import EMBEDDER, PushedShelf
from tests.azure.uploads import BLOCKS, DOCUMENTS, make_indexes
from tests.azure.wire import unfiltered
from tests.doubles.azure_search import StandIn
from tests.index_contract import IndexContract
from tests.shelf import OpenShelf

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def own_shelf(
    service: StandIn, *, prefixed: bool, querying: bool = False, container: Container | None = None
) -> AsyncIterator[PushedShelf]:
    """Open empty indexes in this service. With a query key, the settings contain the facts that the definition would
    show."""
    service.clear()
    make_indexes(service, dimensions=EMBEDDER.dimensions, mark=Mark(prefixed, EMBEDDER.id))
    told = Wishes((CONTENT_VECTOR, CAPTION_VECTOR), "none", EMBEDDER.id) if querying else Wishes()
    reading = Service(service.endpoint, service.query_key if querying else service.admin_key)
    place = Place(reading, BLOCKS, DOCUMENTS, told, prefixed if querying else None, container)
    writing = Service(service.endpoint, service.admin_key)
    async with AsyncExitStack() as stack:
        index = await stack.enter_async_context(AzureIndex(place, EMBEDDER, QUICK))
        filling = await stack.enter_async_context(Connection(writing, QUICK))
        store = await stack.enter_async_context(PictureStore(container)) if container else None
        yield PushedShelf(index, Uploader(filling, BLOCKS, DOCUMENTS, pause=0.0), store=store)


@pytest.fixture(params=["admin key", pytest.param("query key", marks=pytest.mark.slow)])
def open_shelf(service: StandIn, request: pytest.FixtureRequest) -> OpenShelf:
    querying = request.param == "query key"

    @asynccontextmanager
    async def opened(*, prefixed: bool) -> AsyncIterator[PushedShelf]:
        async with own_shelf(service, prefixed=prefixed, querying=querying) as shelf:
            yield shelf
        if querying:  # The uploader has its own key, and its reads do not need a caller's rights.
            with_query_key = [one for one in service.requests if one.headers.get("api-key") == service.query_key]
            assert unfiltered([one for one in with_query_key if one.operation in ("search", "lookup", "count")]) == []

    return opened


class TestOwnIndex(IndexContract):
    holds_pictures = False


class TestOwnIndexAccess(AccessContract):
    pass
