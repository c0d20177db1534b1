"""An answer says how much of what it quotes is in another language than the question."""

from __future__ import annotations

import pytest

from corpus.blocks import Block
from corpus.synthesis.composed import composed_answer
from corpus.synthesis.gathering import Gathered
from corpus.synthesis.request import SynthesisRequest
from corpus.synthesis.sources import numbered
from tests.values import hit, text_block

pytestmark = pytest.mark.anyio

QUESTION = "Wann wird das Lager der Pumpe geschmiert?"
ENGLISH = text_block("The bearing of the pump is greased every year. Its seals are replaced when they leak.")
GERMAN = text_block("Die Pumpe wird an einem trockenen Ort aufgestellt.", page=2, language="de")


@pytest.mark.parametrize(
    ("blocks", "told"),
    [
        ((ENGLISH,), ["Was zitiert wird, ist in einer anderen Sprache"]),
        ((ENGLISH, GERMAN), ["Ein Teil dessen, was zitiert wird, ist in einer anderen Sprache"]),
        ((GERMAN,), []),
    ],
)
async def test_that_all_or_a_part_is_in_another_language(blocks: tuple[Block, ...], told: list[str]) -> None:
    hits = [hit(block, 0.9 - n / 10) for n, block in enumerate(blocks)]
    made = await composed_answer(SynthesisRequest(QUESTION), Gathered(QUESTION, numbered(hits)))
    assert len(made.sources) == len(blocks)
    assert [one.partition(" als die Frage")[0] for one in made.warnings if "Sprache als" in one] == told
