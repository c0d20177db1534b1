"""Identical passages do not fill the first ranks. None of them is lost or revealed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from corpus.access import ANONYMOUS
from corpus.index.local import LocalIndex
from corpus.index.local.ranking import Ranking
from corpus.search import Search
from tests.shelf import a_document, ids, texts

pytestmark = pytest.mark.anyio

PASSAGE = "The pump is to be greased every two hundred hours, and its bearing is to be looked at each time."


@pytest.fixture
async def index(folder: Path) -> AsyncIterator[LocalIndex]:
    index = LocalIndex.open(folder, None)
    yield index
    await index.aclose()


async def test_a_repeated_passage_of_another_version_ranks_below_other_pages(index: LocalIndex) -> None:
    await index.replace(a_document("a"), texts("a", PASSAGE, "A pump has oil."))
    await index.replace(a_document("b"), texts("b", PASSAGE.upper().replace(" ", "  "), "A valve."))
    found = await index.find(Search("how often is the pump greased", top_k=2), ANONYMOUS)
    assert ids(found) == ["a-0", "a-1"]
    assert any("1 passage is not listed" in said and "b.pdf page 1" in said for said in found.warnings)


async def test_a_passage_within_a_longer_one_is_a_repeat(index: LocalIndex) -> None:
    await index.replace(a_document("a"), texts("a", PASSAGE))
    await index.replace(a_document("b"), texts("b", f"{PASSAGE} Pump, pump, greased greased: note the hours."))
    await index.replace(a_document("c"), texts("c", "A pump has oil."))
    found = await index.find(Search("pump greased note hours", top_k=2), ANONYMOUS)
    assert ids(found) == ["b-0", "c-0"]


async def test_if_there_is_room_a_repeat_is_listed_last(index: LocalIndex) -> None:
    for name in "ab":
        await index.replace(a_document(name), texts(name, PASSAGE))
    await index.replace(a_document("c"), texts("c", "A pump has oil."))
    found = await index.find(Search("pump greased"), ANONYMOUS)
    assert (ids(found), found.warnings[1:]) == (["a-0", "c-0", "b-0"], ())
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)


async def test_versions_that_differ_in_a_number_are_both_shown(index: LocalIndex) -> None:
    await index.replace(a_document("a"), texts("a", PASSAGE))
    await index.replace(a_document("b"), texts("b", PASSAGE.replace("two hundred", "three hundred")))
    await index.replace(a_document("c"), texts("c", "A pump has oil."))
    assert ids(await index.find(Search("pump greased", top_k=2), ANONYMOUS)) == ["a-0", "b-0"]


async def test_a_hidden_version_neither_hides_a_readable_one_nor_is_named(index: LocalIndex) -> None:
    await index.replace(a_document("a", access_control_list=("department:hr",)), texts("a", PASSAGE))
    await index.replace(a_document("b"), texts("b", PASSAGE, "A pump has oil."))
    found = await index.find(Search("pump greased", top_k=1), ANONYMOUS)
    assert ids(found) == ["b-0"]
    assert not any("not listed" in said for said in found.warnings)


async def test_repeats_can_be_left_in_place(folder: Path) -> None:
    index = LocalIndex.open(folder, None, ranking=Ranking(once=False))
    for name in "ab":
        await index.replace(a_document(name), texts(name, PASSAGE, "A pump has oil."))
    assert ids(await index.find(Search("pump greased", top_k=2), ANONYMOUS)) == ["a-0", "b-0"]
    await index.aclose()


async def test_a_running_header_ranks_below_text_with_content(index: LocalIndex) -> None:
    header = "Pump Report Second quarter"
    blocks = texts("a", "Pump Report", header, "The report of the second quarter: a pump was bought.")
    await index.replace(replace(a_document("a"), title="Pump Report"), blocks)
    found = await index.find(Search("pump report second quarter", top_k=2), ANONYMOUS)
    assert set(ids(found)) == {"a-0", "a-2"}
    everything = await index.find(Search("pump report second quarter"), ANONYMOUS)
    assert ids(everything)[-1] == "a-1"
    assert not any("not listed" in warning for warning in found.warnings)
