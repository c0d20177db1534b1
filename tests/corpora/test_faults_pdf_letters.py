"""PDFs of the faults whose letters were changed or lost: each reads as a person reads it, or says what is lost."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from corpus.readers.protocol import ReadDocument
from corpus.readers.reading import ReadingProcesses

pytestmark = [pytest.mark.slow, pytest.mark.anyio]


@pytest.fixture
async def reading() -> AsyncIterator[ReadingProcesses]:
    async with ReadingProcesses() as reading:
        yield reading


def text_of(document: ReadDocument) -> str:
    return "\n".join(block.content for block in document.blocks)


async def test_raised_digits_stay_apart_from_numbers(corpora: Path, reading: ReadingProcesses) -> None:
    text = text_of(await reading.read(corpora / "faults" / "raised.pdf"))
    assert "10⁶ litres" in text
    assert "950 ³ degrees" in text
    assert "3 Read at the upper port." in text
