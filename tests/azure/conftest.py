"""The service that most of these tests ask; a test file that needs more in it makes its own."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.doubles.azure_search import StandIn


@pytest.fixture
async def service() -> AsyncIterator[StandIn]:
    """Without an index."""
    async with StandIn() as service:
        yield service
