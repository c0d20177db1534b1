"""Workbooks that were once read wrongly, one for each kind of fault."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from corpus.readers.protocol import ReadBlock
from corpus.readers.sandbox.pool import ReadingProcesses

pytestmark = [pytest.mark.slow, pytest.mark.anyio]


@pytest.fixture
async def reading() -> AsyncIterator[ReadingProcesses]:
    async with ReadingProcesses() as reading:
        yield reading


async def blocks_of(path: Path, reading: ReadingProcesses) -> tuple[ReadBlock, ...]:
    return tuple((await reading.read(path)).blocks)


async def test_each_value_matches_its_neighbour(corpora: Path, reading: ReadingProcesses) -> None:
    first, second = await blocks_of(corpora / "faults" / "xlsx-formats.xlsx", reading)
    rows = [line.strip("| ").split(" | ") for line in first.content.splitlines()[2:]]
    assert len(rows) == 8
    assert [value for _, value in rows] == [what.partition("shown as ")[2] for what, _ in rows]
    assert "Comment on B2: Comment: figure not yet audited" in second.content
    assert "Text box: prices rise in autumn" in second.content


async def test_a_cell_merged_over_many_rows_is_in_each(corpora: Path, reading: ReadingProcesses) -> None:
    for block in await blocks_of(corpora / "faults" / "xlsx-merged-over-blocks.xlsx", reading):
        for line in block.content.splitlines()[2:]:
            number = int(line.split("Farm ")[1][:3])
            assert line.startswith("| Upper valley |" if number < 120 else "| Lower valley |")


async def test_two_tables_side_by_side_are_read_as_two(corpora: Path, reading: ReadingProcesses) -> None:
    blocks = await blocks_of(corpora / "faults" / "xlsx-side-by-side.xlsx", reading)
    assert [(block.heading, block.content.splitlines()[0]) for block in blocks] == [
        ("Two!A1:B3", "| Lake | Depth |"),
        ("Two!D1:E3", "| Boat | Seats |"),
    ]
