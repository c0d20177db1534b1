"""Queries that ask to see something."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.access import ANONYMOUS
from corpus.blocks import Picture
from corpus.index.local import LocalIndex
from corpus.index.local.figure_wishes import towards_figures, wants_figures
from corpus.index.protocol import NewBlock
from corpus.search import Search
from tests.values import document, image_block, text_block


@pytest.mark.parametrize(
    "query",
    [
        "Show me how the seal is built",
        "diagram of the pump",
        "Which plot has the curve?",
        "Zeig mir die Pumpe",
        "Gibt es ein Schaubild der Pumpe?",
        "schéma de la pompe",
    ],
)
def test_asking_for_a_picture_is_noticed(query: str) -> None:
    assert wants_figures(query)


@pytest.mark.parametrize("query", ["How does the pump work?", "figurehead", "Bildung und Karriere", "E-04"])
def test_other_queries_are_left_alone(query: str) -> None:
    assert not wants_figures(query)


def test_scores_stay_between_0_and_1() -> None:
    assert towards_figures({1: 1.0, 2: 0.0}, {1}, 0.1) == {1: pytest.approx(1.0), 2: 0.0}


@pytest.mark.anyio
async def test_a_figure_comes_before_an_equal_text_when_a_picture_is_asked_for(tmp_path: Path) -> None:
    index = LocalIndex.open(tmp_path, None)
    words = "impeller of the pump"
    blocks = [NewBlock(text_block(words)), NewBlock(image_block(words), Picture(b"\x89PNG", "image/png"))]
    await index.replace(document(access_control_list=("*",)), blocks)
    for query, first in (("impeller pump", "text"), ("picture of the impeller pump", "image")):
        hits = (await index.find(Search(query), ANONYMOUS)).hits
        assert hits[0].block.block_type == first
    await index.aclose()
