"""An index with exactly the fields of the design fulfils the contract of all indexes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from corpus.documents.document import SORTABLE
from corpus.index.azure import Wishes
from corpus.index.azure.schema.fields import CAPTION_VECTOR, CONTENT_VECTOR
from tests.access_contract import AccessContract
from tests.azure.design_shelf import DesignShelf, design_shelf
from tests.azure.wire import assert_every_read_was_filtered
from tests.doubles.azure_search import StandIn
from tests.doubles.digest_embedder import DigestEmbedder
from tests.index_contract import IndexContract
from tests.shelf import OpenShelf

pytestmark = pytest.mark.anyio


@pytest.fixture(params=[pytest.param("admin key", marks=pytest.mark.slow), "query key"])
def open_shelf(service: StandIn, request: pytest.FixtureRequest) -> OpenShelf:
    """Open with a key that may read index definitions, and with one that may only search."""
    querying = request.param == "query key"
    told = Wishes((CONTENT_VECTOR, CAPTION_VECTOR), "none", DigestEmbedder().id) if querying else None

    @asynccontextmanager
    async def opened(*, prefixed: bool) -> AsyncIterator[DesignShelf]:
        key = service.query_key if querying else service.admin_key
        async with design_shelf(service, prefixed=prefixed, key=key, wishes=told) as shelf:
            yield shelf
        assert_every_read_was_filtered(service)

    return opened


class TestDesignIndex(IndexContract):
    """An index without document dates, with only addresses of pictures, and with capital letters sorted first."""

    holds_pictures = False
    sortable = tuple(one for one in SORTABLE if one != "document_date")
    sorts_as_one_case = False


class TestDesignIndexAccess(AccessContract):
    pass
