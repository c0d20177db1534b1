"""The index of the design, exactly as its fields are listed there, keeps the contract of every index."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from corpus.documents import SORTABLE
from tests.access_contract import AccessContract
from tests.azure.design_shelf import DesignShelf, design_shelf
from tests.doubles.azure_search import StandIn
from tests.index_contract import IndexContract
from tests.shelf import OpenShelf

pytestmark = pytest.mark.anyio


@pytest.fixture
async def service() -> AsyncIterator[StandIn]:
    async with StandIn() as service:
        yield service


@pytest.fixture
def open_shelf(service: StandIn) -> OpenShelf:
    @asynccontextmanager
    async def opened(*, prefixed: bool) -> AsyncIterator[DesignShelf]:
        async with design_shelf(service, prefixed=prefixed) as shelf:
            yield shelf

    return opened


class TestDesignIndex(IndexContract):
    """It has no date of the document itself, holds addresses of pictures, and its strings sort with capitals first."""

    holds_pictures = False
    sortable = tuple(one for one in SORTABLE if one != "document_date")
    sorts_as_one_case = False


class TestDesignIndexAccess(AccessContract):
    pass
