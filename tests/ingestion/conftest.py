from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from corpus.index.local import LocalIndex
from corpus.readers.reading import ReadingProcesses
from tests.ingestion.shop import Shop


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Shop]:
    (tmp_path / "documents").mkdir()
    index = LocalIndex.open(tmp_path / "index", None)
    async with ReadingProcesses(count=2) as reading:
        yield Shop(index, reading, tmp_path / "documents")
    await index.aclose()
