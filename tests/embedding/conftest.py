from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.doubles.embedding_service import EmbeddingService


@pytest.fixture
async def service() -> AsyncIterator[EmbeddingService]:
    async with EmbeddingService() as started:
        yield started
