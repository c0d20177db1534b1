"""Figures are placed with the text that they belong to."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from corpus.access import ANONYMOUS
from corpus.documents.block import Block, Picture
from corpus.index.local import LocalIndex
from corpus.index.protocol import NewBlock
from corpus.synthesis.hit_expansion import with_figures
from tests.values import document, hit, image_block, text_block

pytestmark = pytest.mark.anyio

PNG = Picture(b"\x89PNG", "image/png")
TEXT = text_block("Figure 3 shows the impeller.", page=2)
NAMED = image_block("Figure 3: Impeller", page=3)
BESIDE = image_block("Figure 2: Casing", page=2)
TABLE = text_block("Table 4: Torques\n\n| Bolt | Torque |\n| --- | --- |\n| M8 | 25 Nm |", page=5)
PICTURE_OF_TABLE = image_block("Table 4: Torques", page=5)
OTHER = image_block("Figure 9: Wiring", page=8)


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[LocalIndex]:
    index = LocalIndex.open(tmp_path, None)
    figures = (BESIDE, NAMED, OTHER, PICTURE_OF_TABLE)
    blocks = [NewBlock(TEXT), NewBlock(TABLE), *(NewBlock(one, PNG) for one in figures)]
    await index.replace(document(access_control_list=("*",)), blocks)
    yield index
    await index.aclose()


async def ids(index: LocalIndex, *blocks: Block) -> list[str]:
    return [one.block.block_id for one in await with_figures([hit(block) for block in blocks], index, ANONYMOUS)]


async def test_the_figure_that_a_text_names_comes_first_and_then_the_one_next_to_it(index: LocalIndex) -> None:
    assert await ids(index, TEXT) == [TEXT.block_id, NAMED.block_id, BESIDE.block_id]


async def test_a_figure_that_ranks_before_its_text_keeps_its_rank(index: LocalIndex) -> None:
    assert await ids(index, NAMED, TEXT) == [NAMED.block_id, TEXT.block_id, BESIDE.block_id]


async def test_a_figure_that_ranks_far_below_moves_up_to_the_text_that_names_it(
    index: LocalIndex,
) -> None:
    other = text_block("Something else.", page=7)
    order = await ids(index, TEXT, other, NAMED)
    assert order == [TEXT.block_id, NAMED.block_id, BESIDE.block_id, other.block_id]


async def test_a_text_file_without_pages_adds_no_figure(index: LocalIndex) -> None:
    notes = text_block("See Figure 3.", page=None)
    assert await ids(index, notes) == [notes.block_id]


async def test_a_table_that_a_text_names_is_added_as_text(index: LocalIndex) -> None:
    naming = text_block("Tighten the bolts as Table 4 says.", page=5)
    assert await ids(index, naming) == [naming.block_id, TABLE.block_id]


async def test_the_picture_of_a_table_is_replaced_by_the_text_of_the_table(index: LocalIndex) -> None:
    assert await ids(index, PICTURE_OF_TABLE) == [TABLE.block_id]
    assert await ids(index, TABLE, PICTURE_OF_TABLE) == [TABLE.block_id]
