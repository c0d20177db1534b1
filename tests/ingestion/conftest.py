from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from corpus.index.local import LocalIndex
from corpus.readers.sandbox.pool import ReadingProcesses
from tests.ingestion.shop import Shop


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def reading() -> AsyncIterator[ReadingProcesses]:
    """Reading processes for all tests of a file, because starting a process takes longer than reading the files of ten
    tests."""
    async with ReadingProcesses(count=2) as reading:
        yield reading


@pytest.fixture
async def shop(tmp_path: Path, reading: ReadingProcesses) -> AsyncIterator[Shop]:
    (tmp_path / "documents").mkdir()
    index = LocalIndex.open(tmp_path / "index", None)
    yield Shop(index, reading, tmp_path / "documents")
    await index.aclose()
