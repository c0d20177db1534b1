"""Texts and mail of the set of faults: decoded, or called a guess."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from corpus.readers.reading import ReadingProcesses

pytestmark = [pytest.mark.slow, pytest.mark.anyio]


@pytest.fixture
async def reading() -> AsyncIterator[ReadingProcesses]:
    async with ReadingProcesses() as reading:
        yield reading


@pytest.mark.parametrize(
    ("name", "said", "is_guess"),
    [
        ("enc-cp1251.txt", "Мост открыт", True),
        ("enc-shift-jis.csv", "定員", True),
        ("mail-without-charset.eml", "für größere Boote", False),
    ],
)
async def test_letters_are_right(
    corpora: Path, reading: ReadingProcesses, name: str, said: str, is_guess: bool
) -> None:
    document = await reading.read(corpora / "faults" / name)
    assert said in " ".join(block.content for block in document.blocks)
    assert any("guess" in warning for warning in document.warnings) == is_guess
