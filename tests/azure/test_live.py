"""The same contract with a real service, if AZURE_SEARCH_LIVE_ENDPOINT and AZURE_SEARCH_LIVE_KEY are set.

It creates two indexes with a random name, and deletes them at the end.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from azure.core.credentials import AzureKeyCredential
from azure.search.documents.indexes.aio import SearchIndexClient

from corpus.index.azure import AzureIndex, Place, Service
from corpus.index.azure.schema.create_indexes import content_index, documents_index
from corpus.index.azure.schema.index_schema import Mark
from corpus.index.azure.service.connection import Connection
from corpus.index.azure.upload.uploading import Uploader
from tests.access_contract import AccessContract
from tests.azure.pushed_shelf import EMBEDDER, PushedShelf
from tests.index_contract import IndexContract
from tests.shelf import OpenShelf

if "AZURE_SEARCH_LIVE_ENDPOINT" not in os.environ:
    pytest.skip("AZURE_SEARCH_LIVE_ENDPOINT is not set: no real service is asked", allow_module_level=True)

pytestmark = pytest.mark.anyio

SETTLES = 4.0
"""Seconds until the service finds new documents."""


@pytest.fixture
def open_shelf() -> OpenShelf:
    @asynccontextmanager
    async def opened(*, prefixed: bool) -> AsyncIterator[PushedShelf]:
        service = Service(os.environ["AZURE_SEARCH_LIVE_ENDPOINT"], os.environ["AZURE_SEARCH_LIVE_KEY"])
        name = f"ibid-test-{secrets.token_hex(4)}"
        content, documents = f"{name}-blocks", f"{name}-documents"
        mark = Mark(prefixed, EMBEDDER.id)
        async with (
            AzureIndex(Place(service, content, documents), EMBEDDER) as index,
            Connection(service) as filling,
        ):
            try:
                await filling.create(content_index(content, dimensions=EMBEDDER.dimensions, mark=mark))
                await filling.create(documents_index(documents, mark=mark))
                yield PushedShelf(index, Uploader(filling, content, documents), SETTLES)
            finally:
                await _drop(service, content, documents)

    return opened


async def _drop(service: Service, *names: str) -> None:
    assert service.key
    async with SearchIndexClient(service.endpoint, AzureKeyCredential(service.key)) as client:
        for name in names:
            await client.delete_index(name)


class TestLiveIndex(IndexContract):
    holds_pictures = False


class TestLiveIndexAccess(AccessContract):
    pass
