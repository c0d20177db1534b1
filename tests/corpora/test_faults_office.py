"""Office files that were once read wrongly, one for each kind of fault."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from corpus.readers.sandbox.pool import ReadingProcesses

pytestmark = [pytest.mark.slow, pytest.mark.anyio]


@pytest.fixture
async def reading() -> AsyncIterator[ReadingProcesses]:
    async with ReadingProcesses() as reading:
        yield reading


async def text_of(path: Path, reading: ReadingProcesses) -> str:
    document = await reading.read(path)
    return "\n".join([*(block.content for block in document.blocks), *document.warnings])


async def test_word_superscripts_keep_their_meaning(corpora: Path, reading: ReadingProcesses) -> None:
    text = await text_of(corpora / "faults" / "raised.docx", reading)
    assert "10⁶ litres" in text
    assert "450 ² euros" in text


async def test_word_formulas_and_symbols_are_read(corpora: Path, reading: ReadingProcesses) -> None:
    text = await text_of(corpora / "faults" / "docx-formula-and-symbols.docx", reading)
    assert "F = W/L+y³" in text
    assert "4 mm ± 0.2 mm and the angle ≤ 9 degrees" in text


async def test_word_comments_struck_text_and_merged_cells_are_read(corpora: Path, reading: ReadingProcesses) -> None:
    text = await text_of(corpora / "faults" / "docx-comment-strike-merged.docx", reading)
    assert "Comment (Reader): Comment: the council decided in March to keep it open" in text
    assert "4 euros" not in text
    assert "1 struck passage" in text
    assert "| Late | closed for works | closed for works | closed for works |" in text


async def test_shapes_of_a_slide_are_read_by_position(corpora: Path, reading: ReadingProcesses) -> None:
    text = await text_of(corpora / "faults" / "pptx-order.pptx", reading)
    assert "Jobs at the barn\nmend the fence\npaint the door\nJobs at the lake\ncut the reeds\ncount the swans" in text


async def test_rtf_superscripts_and_footnotes_are_read(corpora: Path, reading: ReadingProcesses) -> None:
    text = await text_of(corpora / "faults" / "raised.rtf", reading)
    assert "10⁶ litres" in text
    assert "Except in May." in text
