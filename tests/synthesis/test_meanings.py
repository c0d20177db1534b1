"""Question words that a text expresses differently: in another language, or as a synonym."""

from __future__ import annotations

from collections.abc import Sequence

import anyio
import numpy as np
import pytest

from corpus.embedding.packaged import PackagedEmbedder
from corpus.synthesis.answerability import FOREIGN_COVERAGE, signals
from corpus.synthesis.compose import Material, material
from corpus.synthesis.extractive.meanings import (
    Compared,
    cells_by_word,
    cells_to_compare,
    foreign_coverage,
    words_to_compare,
)
from corpus.synthesis.query_similarity import QuerySimilarity
from corpus.synthesis.sources import number_sources
from tests.values import hit, text_block

KASSE = """| Datum | Firma | Betrag |
| --- | --- | --- |
| 01.02.2025 | Musikschule Seeheim | 100,50 |
| 02.02.2025 | Optik Kern | 200,00 |
| 03.02.2025 | Musikschule Seeheim | 50,00 |"""
LETTER = "Die Pumpe wird jeden Montag gereinigt. Der Filter ist dabei zu ersetzen."


def read(text: str, query: str, language: str = "de") -> Material:
    return material(query, number_sources([hit(text_block(text, language=language), 1.0)]))


def between(words: Sequence[str], texts: Sequence[str]) -> dict[str, dict[str, float]]:
    async def ask() -> dict[str, dict[str, float]]:
        found = await QuerySimilarity(PackagedEmbedder()).between(Compared(tuple(words), tuple(texts)))
        return {word: dict(by_text) for word, by_text in found.items()}

    return anyio.run(ask)


@pytest.mark.parametrize(
    ("word", "same", "other"),
    [
        ("captain", "Kapitän", "Flugzeug"),
        ("dentist", "Zahnreinigung", "Musikschule"),
        ("music school", "Musikschule Seeheim", "Optik Kern"),
        ("petrol", "gasoline", "water"),
        ("blau", "blue", "red"),
        ("Versicherung", "insurance", "electricity"),
    ],
)
def test_a_translation_is_closer_than_another_word(word: str, same: str, other: str) -> None:
    found = between([word], [same, other])[word]
    assert found[same] > 0.25
    assert found[same] - found[other] > 0.15


def test_only_cells_far_above_chance_match_a_word_and_each_word_of_its_phrase() -> None:
    found = {"music school": {"Musikschule": 0.6, "Musikverein": 0.57, "Optik": 0.5}, "vet": {"Tierarzt": 0.4}}
    cells = frozenset({"Musikschule", "Musikverein"})
    assert cells_by_word(found) == {"music": cells, "school": cells}


def test_cells_are_compared_only_for_an_aggregate_whose_words_are_in_no_row() -> None:
    def compared(query: str) -> Compared:
        made = read(KASSE, query)
        return cells_to_compare(made.readings, made.candidates, made.question)

    assert compared("How much did we pay the music school in total?").words == ("music school",)
    assert set(compared("How much did we pay the music school in total?").texts) == {
        "Musikschule Seeheim",
        "Optik Kern",
    }
    assert compared("How much did we pay Optik Kern in total?") == Compared()
    assert compared("Who runs the music school?") == Compared()


def test_words_are_compared_only_with_a_text_in_another_language() -> None:
    foreign, own = read(LETTER, "How often is the pump cleaned?"), read(LETTER, "Wie oft wird die Pumpe gereinigt?")
    assert "cleaned" in words_to_compare(foreign.readings, foreign.candidates, foreign.question).words
    assert words_to_compare(own.readings, own.candidates, own.question) == Compared()


def test_the_coverage_of_a_foreign_text_comes_from_the_meanings_of_its_words() -> None:
    made = read(LETTER, "How often is the pump cleaned?")
    best = made.candidates[0]
    near = {"pump": {"Pumpe": 0.7}, "cleaned": {"gereinigt": 0.6}}
    far = {"pump": {"Pumpe": 0.1}, "cleaned": {"gereinigt": 0.1}}
    parts = (made.readings, best, made.question)
    assert foreign_coverage(*parts, near, {}) == pytest.approx(1.0)
    assert foreign_coverage(*parts, far, {}) < 0.6
    assert foreign_coverage(*parts, far, dict.fromkeys(("pump", "cleaned"), frozenset({"x"}))) == pytest.approx(1.0)


def test_without_an_embedder_a_foreign_text_has_the_mean_coverage() -> None:
    judged = signals(read(LETTER, "How often is the pump cleaned?"), (), 0.8)
    assert judged is not None
    assert judged.coverage == FOREIGN_COVERAGE


def test_a_failing_embedder_disables_the_comparison_of_meanings() -> None:
    class Failing:
        id, dimensions = "failing", 2

        async def query(self, text: str) -> np.ndarray:
            raise OSError(text)

        async def passages(self, texts: Sequence[str]) -> np.ndarray:
            raise OSError(str(texts))

        async def aclose(self) -> None: ...

    assert anyio.run(QuerySimilarity(Failing()).between, Compared(("pump",), ("Pumpe",))) == {}
