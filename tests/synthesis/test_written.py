"""An answer in a file is checked against the pages that it cites, as far as the caller may read them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from corpus.access import ANONYMOUS, Caller
from corpus.documents.block import Box
from corpus.documents.line_boxes import LineBox
from corpus.errors import InvalidRequest
from corpus.index.local import LocalIndex
from corpus.library import Library
from tests.shelf import a_document, texts

pytestmark = pytest.mark.anyio

SPEED = "The impeller turns at 2900 revolutions per minute."
OIL = "Change the bearing oil after 200 hours."
BOX: Box = (72.0, 700.0, 500.0, 712.0)


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[Library]:
    index = LocalIndex.open(tmp_path / "index", None)
    await index.replace(a_document("manual", page_count=2), texts("manual", SPEED, OIL))
    await index.replace(
        a_document("secret", page_count=1, access_control_list=("group:hr",)),
        texts("secret", "Pay is 9 euros."),
    )
    yield Library(index, None)
    await index.aclose()


async def verdicts(library: Library, answer: str, caller: Caller = ANONYMOUS) -> list[str]:
    return [one.verdict for one in (await library.verify_written(answer, caller)).check.claims]


async def test_a_claim_is_compared_with_the_page_that_it_cites(library: Library) -> None:
    assert await verdicts(library, f"{SPEED} (Source: manual.pdf, S. 1)") == ["found"]
    assert await verdicts(library, f"{SPEED} (Source: manual.pdf, S. 2)") == ["value_mismatch"]
    assert await verdicts(library, f"{OIL} (Source: manual.pdf)") == ["found"]


async def test_a_number_refers_to_its_line_in_the_list_below(library: Library) -> None:
    below = "\n\n[1] (Source: manual.pdf, S. 1)\n[2] manual.pdf, p. 2\n"
    assert await verdicts(library, f"{SPEED} [1] {OIL} [2]{below}") == ["found", "found"]
    assert await verdicts(library, f"{SPEED} [2] {OIL} [3]{below}") == ["value_mismatch", "invalid_citation"]


async def test_a_number_refers_to_all_pages_in_its_line(library: Library) -> None:
    for pages in ("pp. 1-2", "S. 1 und 2", "p. 1 ff"):
        assert await verdicts(library, f"{SPEED} [1] {OIL} [1]\n\n[1] manual.pdf, {pages}\n") == [
            "found",
            "found",
        ]
    made = await library.verify_written(f"{OIL} [1]\n\n[1] manual.pdf, pp. 1-2\n", ANONYMOUS)
    assert [source.name for source in made.sources] == ["manual.pdf, S. 1-2"]
    assert await verdicts(library, f"{OIL} (Source: manual.pdf, S. 1)\n\n[1] manual.pdf, pp. 1-2\n") != ["found"]


async def test_the_page_is_read_after_a_name_whatever_characters_precede_it(library: Library) -> None:
    for before in ("İİİİİİİİ", "ŉ ß ﬃ Å", "각", "ｶﾞ"):
        answer = f"{before} is a mark. {OIL} (Source: manual.pdf, S. 2)"
        assert (await verdicts(library, answer))[-1] == "found"
        listed = f"[1] {before} manual.pdf, S. 2; 1"
        assert await verdicts(library, f"{OIL} [1]\n\n{listed}\n") == ["found"]


async def test_an_unreadable_document_is_not_a_source_just_like_a_missing_one(
    library: Library,
) -> None:
    secret, absent = [
        (await library.verify_written(f"Pay is 9 euros (Source: {name}.pdf, S. 1).", ANONYMOUS)).check.claims[0]
        for name in ("secret", "absent")
    ]
    assert secret.verdict == absent.verdict == "invalid_citation"
    assert secret.missing == absent.missing
    hr = Caller(groups=frozenset({"hr"}))
    assert await verdicts(library, "Pay is 9 euros (Source: secret.pdf, S. 1).", hr) == ["found"]


async def test_an_empty_answer_is_refused(library: Library) -> None:
    with pytest.raises(InvalidRequest, match="empty"):
        await library.verify_written(" \n", ANONYMOUS)


async def test_a_sentence_across_a_page_break_is_outlined_on_both_pages(tmp_path: Path) -> None:
    index = LocalIndex.open(tmp_path / "index", None)
    first, second = texts("manual", "Change the oil every", "four thousand hours. Then test it.")
    lines = (LineBox(0, 20, BOX),), (LineBox(0, 34, BOX),)
    new = [replace(first, lines=lines[0]), replace(second, lines=lines[1])]
    await index.replace(a_document("manual", page_count=2), new)
    places = await Library(index, None).evidence_places.of(first.block, 0, 20, ANONYMOUS)
    assert [place.page_number for place in places] == [1, 2]
    assert places[0].boxes == (BOX,)
    assert places[1].boxes[0][2] < BOX[2] - 100
    await index.aclose()
