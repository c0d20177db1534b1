"""The service of most of these tests. A test file with other needs creates its own service."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.doubles.azure_search import StandIn


@pytest.fixture
async def service() -> AsyncIterator[StandIn]:
    """A service without an index."""
    async with StandIn() as service:
        yield service
