"""A text is found in a block word for word, in a time that its letters cannot draw out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corpus.access import ANONYMOUS
from corpus.blocks import Block, Box
from corpus.evidence_places import EvidencePlaces, found_in
from corpus.index.local import LocalIndex
from corpus.line_boxes import LineBox
from tests.shelf import a_document, texts


def a_block(content: str) -> Block:
    return texts("manual", content)[0].block


@pytest.mark.parametrize(
    ("content", "evidence", "part"),
    [
        ("The oil, every 200 hours.", "oil every | 200", "oil, every 200"),
        ("Straße  STRASSE 4", "strasse 4", "STRASSE 4"),
        ("x __init__ y", "__init__", "init"),
        ("Coils and oil", "oil", "oil"),
        ("oil", "oil", "oil"),
    ],
)
def test_the_words_of_a_text_are_found_whatever_stands_between(
    content: str, evidence: str, part: str
) -> None:
    found = found_in([a_block("Another."), a_block(content)], evidence)
    assert found
    assert content[found[1] : found[2]] == part


@pytest.mark.parametrize("evidence", ["oil hours", "oi", "_ . _", "", "hours 200"])
def test_other_words_are_not_found(evidence: str) -> None:
    assert found_in([a_block("The oil, every 200 hours.")], evidence) is None


@pytest.mark.parametrize("content", ["_" * 100_000, "a_" * 50_000, "_a " * 30_000, "a " * 50_000])
def test_a_form_of_underscores_is_looked_through_at_once(content: str) -> None:
    assert found_in([a_block(content)], "_ " * 40 + "a " * 299 + "zzz") is None


@pytest.mark.anyio
async def test_a_sentence_behind_thousands_of_headings_has_its_own_line_alone(tmp_path: Path) -> None:
    index = LocalIndex.open(tmp_path / "index", None)
    headings = "Oil\n" * 15_000
    box: Box = (72.0, 700.0, 500.0, 712.0)
    lines = (LineBox(0, len(headings), (0.0, 0.0, 9.0, 9.0)), LineBox(len(headings), len(headings) + 14, box))
    new = replace(texts("manual", headings + "Change it now.")[0], lines=lines)
    block = replace(new.block, heading="Oil")
    await index.replace(a_document("manual", page_count=1), [replace(new, block=block)])
    (place,) = await EvidencePlaces(index).of(block, 0, len(block.content), ANONYMOUS)
    assert place.boxes == (box,)
    await index.aclose()
