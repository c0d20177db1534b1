"""PDFs whose characters were changed or lost: each is read as a person reads it, or a warning says what is lost."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from corpus.readers.protocol import ReadDocument
from corpus.readers.sandbox.pool import ReadingProcesses

pytestmark = [pytest.mark.slow, pytest.mark.anyio]


@pytest.fixture
async def reading() -> AsyncIterator[ReadingProcesses]:
    async with ReadingProcesses() as reading:
        yield reading


def text_of(document: ReadDocument) -> str:
    return "\n".join(block.content for block in document.blocks)


async def test_superscripts_stay_separate_from_numbers(corpora: Path, reading: ReadingProcesses) -> None:
    text = text_of(await reading.read(corpora / "faults" / "raised.pdf"))
    assert "10⁶ litres" in text
    assert "950 ³ degrees" in text
    assert "3 Read at the upper port." in text


@pytest.mark.parametrize("kind", ["nul", "private", "replacement"])
async def test_missing_ligature_characters_are_reported(corpora: Path, reading: ReadingProcesses, kind: str) -> None:
    document = await reading.read(corpora / "faults" / f"font-ligature-{kind}.pdf")
    assert "Characters are missing in words of page 1" in document.warnings[0]
    assert document.pending == ("p1",)
    assert "ofcer" not in text_of(document)


async def test_text_in_a_scrambled_encoding_is_left_to_ocr(corpora: Path, reading: ReadingProcesses) -> None:
    document = await reading.read(corpora / "faults" / "font-cipher.pdf")
    assert document.warnings[0].startswith("The text of page 1 makes no sense")
    assert document.pending == ("p1",)
    assert document.blocks == ()


async def test_a_stamp_does_not_disable_ocr(corpora: Path, reading: ReadingProcesses) -> None:
    document = await reading.read(corpora / "faults" / "scan-with-stamp.pdf")
    assert document.warnings[0].startswith("Pages 1, 2 and 3 are pictures without text")
    assert document.pending == ("p1", "p2", "p3")


@pytest.mark.parametrize(
    ("file", "heads"),
    [
        ("running-head-order.pdf", ("Order 7730-B", "Customer: Lakeside Boatyard")),
        ("running-head-two-copies.pdf", ("Loan slip 5519", "Borrower: Museum of Glass", "Item: blue vase")),
    ],
)
async def test_text_at_the_top_of_all_pages_is_found(
    corpora: Path, reading: ReadingProcesses, file: str, heads: tuple[str, ...]
) -> None:
    text = text_of(await reading.read(corpora / "faults" / file))
    assert [text.count(head) for head in heads] == [1] * len(heads)
