"""Positions of the texts of a PDF: the offsets of a block and the text of its page agree."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from corpus.documents.block import Block
from corpus.documents.page_ranges import page_texts
from corpus.readers.chunking import MAX_BLOCK
from corpus.readers.protocol import ReadBlock
from tests.readers.conftest import Read
from tests.readers.pdfs import Draw, both, chart, drawn, lines

WORDS = "the pump moves hot water through a cooler, and back (slowly); Ein- und Ausgabe – co-operation ﬁne 3.5"


@pytest.mark.parametrize("seed", range(8))
def test_the_slice_of_the_page_is_the_block(tmp_path: Path, read: Read, seed: int) -> None:
    source = random.Random(seed)
    _, blocks = read(drawn(tmp_path / "a.pdf", *(page(source) for _ in range(3))))
    assert blocks
    for whole in page_texts([indexed(block) for block in blocks]):
        texts = [b for b in blocks if b.block_type == "text" and b.page_number == whole.page_number]
        assert [whole.text[block.char_start : block.char_end] for block in texts] == [b.content for b in texts]
        assert all(0 < len(block.content) <= MAX_BLOCK for block in texts)


def test_a_picture_has_no_offsets(tmp_path: Path, read: Read) -> None:
    captioned = both(chart(), lines("Figure 1: Flow by speed", top=300), lines("Text.", top=400))
    _, blocks = read(drawn(tmp_path / "a.pdf", captioned))
    assert [place(block) for block in blocks if block.block_type == "image"] == [(None, None)]
    assert [place(block) for block in blocks if block.block_type == "text"] == [(0, 5)]


def indexed(block: ReadBlock) -> Block:
    return Block(
        block_id=block.place,
        doc_id="a",
        block_type=block.block_type,
        content=block.content,
        page_number=block.page_number,
    )


def place(block: ReadBlock) -> tuple[int | None, int | None]:
    return block.char_start, block.char_end


def page(source: random.Random) -> Draw:
    """Draw headings, paragraphs and lists of random length in one column or two."""
    parts = []
    for left in source.choice([[60], [60, 320]]):
        top = 80.0
        while top < 720:
            size = source.choice([8, 11, 11, 11, 16])
            rows = [
                " ".join(source.choices(WORDS.split(), k=source.randint(1, 6))) for _ in range(source.randint(1, 9))
            ]
            if source.random() < 0.2:
                rows = [f"{n}. {row}" for n, row in enumerate(rows, 1)]
            parts.append(lines(*rows, left=left, top=top, size=size))
            top += 1.2 * size * len(rows) + source.choice([4, 20])
    return both(*parts)
