"""Positions of a block's lines are stored with the block, and an index without them still opens."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from corpus.access import ANONYMOUS
from corpus.documents.document import LinkedPicture
from corpus.documents.line_boxes import LineBox, boxes_within, pack, unpack
from corpus.index.local import LocalIndex
from corpus.index.local.documents_and_blocks import documents_from
from corpus.index.local.store import FILE
from corpus.index.protocol import NewBlock
from tests.shelf import a_document, texts

LINES = (LineBox(0, 12, (72.0, 90.25, 300.5, 101.0)), LineBox(12, 20, (72.0, 103.0, 160.0, 114.0)))
ANYONE = ANONYMOUS
pytestmark = pytest.mark.anyio


def a_placed_block() -> NewBlock:
    return replace(texts("manual", "The impeller is made")[0], lines=LINES)


async def test_line_boxes_are_returned_and_removed_with_their_block(folder: Path) -> None:
    index = LocalIndex.open(folder, None)
    new = a_placed_block()
    await index.replace(a_document("manual"), [new])
    assert await index.lines([new.block.block_id], ANYONE) == {new.block.block_id: LINES}
    await index.remove("manual")
    assert await index.lines([new.block.block_id], ANYONE) == {}
    await index.aclose()


async def test_a_caller_who_may_not_read_a_block_gets_no_line_boxes(folder: Path) -> None:
    index = LocalIndex.open(folder, None)
    new = a_placed_block()
    await index.replace(a_document("manual", access_control_list=("group:hr",)), [new])
    assert await index.lines([new.block.block_id], ANYONE) == {}
    await index.aclose()


async def test_an_index_of_the_first_format_opens_and_stores_lines_from_the_next_reading_on(
    folder: Path,
) -> None:
    index = LocalIndex.open(folder, None)
    new = a_placed_block()
    await index.replace(a_document("manual"), [new])
    await index.aclose()
    make_older(folder / FILE, version=1)
    index = LocalIndex.open(folder, None)
    assert await index.lines([new.block.block_id], ANYONE) == {}
    assert await index.blocks([new.block.block_id], ANYONE)
    await index.replace(a_document("manual"), [new])
    assert await index.lines([new.block.block_id], ANYONE) == {new.block.block_id: LINES}
    await index.aclose()


async def test_an_index_of_the_second_format_opens_and_its_documents_are_read_again(folder: Path) -> None:
    index = LocalIndex.open(folder, None)
    document = a_document("manual", pending=("p1",), shown=(LinkedPicture("/x.png", "h", 1, 1 << 62),))
    await index.replace(document, [a_placed_block()])
    assert await index.all_documents() == (replace(document, status="ready"),)
    await index.aclose()
    make_older(folder / FILE, version=2)
    index = LocalIndex.open(folder, None)
    (opened,) = await index.all_documents()
    assert (opened.doc_id, opened.pending, opened.shown) == ("manual", (), ())
    assert await index.restricted() == {}
    await index.aclose()


async def test_documents_of_an_older_index_that_was_not_upgraded_are_still_readable(
    folder: Path,
) -> None:
    index = LocalIndex.open(folder, None)
    await index.replace(a_document("manual"), [a_placed_block()])
    await index.aclose()
    make_older(folder / FILE, version=2)
    with closing(sqlite3.connect(folder / FILE)) as database:
        (read,) = documents_from(database, "", (), 0, embeds=False)
    assert (read.doc_id, read.pending) == ("manual", ())


def make_older(file: Path, *, version: int) -> None:
    """Remove from an index the features that its format did not have at that version."""
    with closing(sqlite3.connect(file)) as database:
        for column in ("pending", "unread", "shown", "withheld"):
            database.execute(f"ALTER TABLE documents DROP COLUMN {column}")
        database.execute("DROP TABLE restricted")
        if version < 2:
            database.execute("DROP TABLE lines")
        database.execute(f"PRAGMA user_version = {version}")


def test_a_line_takes_twelve_bytes_with_a_precision_of_a_quarter_of_a_point() -> None:
    kept = pack([LineBox(3, 90, (71.9, 700.1, 541.13, 712.0))])
    assert len(kept) == 12
    assert unpack(kept) == (LineBox(3, 90, (72.0, 700.0, 541.25, 712.0)),)


def test_a_sentence_over_a_line_break_has_one_exact_box_on_each_line() -> None:
    first, second = boxes_within(LINES, "The impeller is made", 4, 15)
    assert 72.0 < first[0] < 180
    assert first[2] == 300.5
    assert second[0] == 72.0
    assert second[2] < 120


def test_the_cells_of_a_row_share_one_box_and_columns_of_text_have_two() -> None:
    row = "| 95 Nm | 12 bar |"
    cells = (LineBox(2, 7, (72.0, 90.0, 100.0, 101.0)), LineBox(10, 16, (200.0, 90.0, 240.0, 101.0)))
    assert boxes_within(cells, row, 0, len(row)) == ((72.0, 90.0, 240.0, 101.0),)
    prose = "words on the left and right"
    columns = (LineBox(0, 18, (72.0, 90.0, 280.0, 101.0)), LineBox(18, 27, (300.0, 90.0, 400.0, 101.0)))
    assert len(boxes_within(columns, prose, 0, len(prose))) == 2


def test_monospaced_characters_are_counted_and_others_are_weighed() -> None:
    """In a monospaced font, i is as wide as m. Three lines are needed to detect one."""
    content = "iiii llll iiii mmmm.MMMM WWWW MMMM iiii llll.ii mm ll MM oo."
    spans = ((0, 20), (20, 45), (45, 60))
    typed = [LineBox(a, b, (72.0, 90.0 + a, 72.0 + 6 * (b - a), 101.0 + a)) for a, b in spans]
    (box,) = boxes_within(typed, content, 15, 20)
    assert (box[0], box[2]) == (72.0 + 6 * 15, 72.0 + 6 * 20)
    printed = [replace(line, box=(72.0, *line.box[1:3], line.box[3])) for line in typed[:2]]
    (box,) = boxes_within(printed, content, 15, 20)
    assert box[0] < 72.0 + 6 * 15


def test_a_part_of_a_right_to_left_line_is_measured_from_the_right() -> None:
    content = "המשאבה עומדת. החלף את האטם"
    line = LineBox(0, len(content), (100.0, 90.0, 300.0, 101.0))
    (first,) = boxes_within([line], content, 0, 13)
    (second,) = boxes_within([line], content, 14, len(content))
    assert (first[2], second[0]) == (300.0, 100.0)
    assert 185 < second[2] < first[0] < 215
    (whole,) = boxes_within([line], content, 0, len(content))
    assert whole == line.box
    mostly_english = "The word המשאבה means the pump"
    (start,) = boxes_within([LineBox(0, 30, line.box)], mostly_english, 0, 8)
    assert start[0] == 100.0


def test_combining_marks_take_no_room_and_wide_characters_twice_as_much() -> None:
    content = "a\u0301b漢字cd"
    (box,) = boxes_within([LineBox(0, len(content), (0.0, 0.0, 80.0, 10.0))], content, 3, 5)
    assert (box[0], box[2]) == (20.0, 60.0)
