"""Whether what was found speaks to a question: the names it gives, then its other words, in English and German."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.blocks import Block
from corpus.search import Hit
from corpus.synthesis.strength import WEAK, answers_to, evidence, is_foreign, is_weak
from tests.values import hit, text_block

PUMP = text_block("The centrifugal pump P-101 needs 2 litres of oil. Replace its seals every year.", page=45)
PUMPE = text_block("Die Dichtungen der Pumpe P-101 werden jedes Jahr ausgetauscht.", page=4, language="de")
SAFETY = text_block("Wear gloves near the centrifugal machine and read all warnings.", page=3)


def found(*blocks: Block) -> list[Hit]:
    return [hit(block) for block in blocks]


def strength(question: str, *blocks: Block) -> float:
    result = evidence(question, found(*blocks))
    assert result is not None
    return result


@pytest.mark.parametrize(
    "question",
    [
        "How much oil does the centrifugal pump need?",
        "How often are the seals of the P-101 replaced?",
        "What does page 45 say about the oil of the pump?",
    ],
)
def test_a_question_in_the_words_of_the_best_hit_is_not_weakly_answered(question: str) -> None:
    assert is_weak(question, found(PUMP, SAFETY)) is False


@pytest.mark.parametrize(
    "question",
    [
        "How much oil does the pump P-205 need?",
        "How much oil did the centrifugal pump need in 2019?",
        "How much oil does the centrifugal pump of Grundfos need?",
        "Does the centrifugal pump need oil by DIN?",
    ],
)
def test_a_number_or_name_that_stands_in_no_hit_makes_evidence_weak(question: str) -> None:
    assert is_weak(question, found(PUMP, SAFETY)) is True


def test_a_name_may_stand_in_any_hit_or_in_the_name_of_its_document() -> None:
    question = "How much oil does the centrifugal pump of Grundfos need?"
    other = text_block("Grundfos makes pumps.", page=9)
    assert is_weak(question, found(PUMP, SAFETY, other)) is False
    assert is_weak(question, [hit(PUMP, filename="grundfos.pdf"), hit(SAFETY)]) is False


def test_a_slip_of_the_pen_in_a_name_is_forgiven_one_in_an_identifier_is_not() -> None:
    maker = text_block("The pump P-101 by Grundfos needs 2 litres of oil.")
    assert is_weak("How much oil does the pump by Grundfoss need?", found(maker)) is False
    assert is_weak("How much oil does the pump P-102 need?", found(maker)) is True


def test_a_short_name_is_no_slip_of_another_word() -> None:
    dates = text_block("The pumps are repaired by 27 Mar 2026.")
    assert is_weak("Who repairs the pumps on Mars?", found(dates)) is True


def test_a_number_is_the_same_with_other_separators() -> None:
    price = text_block("The pump costs 45.000 francs.")
    assert is_weak("Which pump costs 45,000 francs?", found(price)) is False
    assert is_weak("Which pump costs 46,000 francs?", found(price)) is True


def test_an_example_of_how_to_write_the_answer_names_nothing() -> None:
    assert is_weak('How much oil do the pumps need? Write a list, as in ["30", "ABC"].', found(PUMP)) is False


def test_evidence_is_weaker_the_fewer_words_the_best_hit_has() -> None:
    whole = strength("How much oil does the centrifugal pump need?", PUMP, SAFETY)
    some = strength("How much petrol does the centrifugal engine need?", PUMP, SAFETY)
    none = strength("How long should bread dough rest before baking?", PUMP, SAFETY)
    assert whole > some > none


@pytest.mark.parametrize(
    "question", ["How Much Oil Does The Centrifugal Pump Need", "HOW MUCH OIL DOES THE CENTRIFUGAL PUMP NEED"]
)
def test_capitals_of_a_title_or_of_a_shout_name_nothing(question: str) -> None:
    assert strength(question, PUMP) >= WEAK


def test_every_german_noun_has_a_capital_and_names_nothing() -> None:
    assert strength("Wann werden die Dichtungen der Pumpe ausgetauscht, laut Hersteller?", PUMPE) >= WEAK


def test_most_of_a_compound_counts_some_of_it() -> None:
    lid = text_block("Der Pumpendeckel wird geölt.", language="de")
    none, some, whole = (
        strength(question, lid)
        for question in (
            "Wie wird die Dichtung geölt?",
            "Wie wird der Pumpendeckelring geölt?",
            "Pumpendeckel geölt?",
        )
    )
    assert none < some < whole


def test_words_that_another_language_lacks_count_neither_way() -> None:
    question = "Wie viel Schmierstoff ist für die Maschine nötig?"
    assert strength(question, PUMP, SAFETY) == 0.75
    assert strength(question, PUMP, PUMPE, PUMPE) == 0.75
    assert strength(question, PUMPE, PUMP, SAFETY) == 0.75
    assert strength(question, PUMPE, PUMPE, PUMP) == 0.5


def test_a_name_counts_in_every_language() -> None:
    assert is_weak("Wie viel Schmierstoff braucht die P-101?", found(PUMP, SAFETY)) is False
    assert is_weak("Wie viel Schmierstoff braucht die P-205?", found(PUMP, SAFETY)) is True


def test_the_language_of_a_hit_is_seen_where_the_index_does_not_say() -> None:
    unsaid = text_block("Die Pumpe ist mit dem Öl aus der Kanne zu füllen.", language=None)
    assert strength("How much petrol does the engine take?", unsaid) == 0.75


def test_in_a_language_that_is_not_known_words_count_only_where_they_stand() -> None:
    assert strength("Quelle huile faut-il?", PUMP) == 0.75
    assert strength("Pump oil litres?", PUMP) == 1.0
    assert is_weak("Quelle huile faut-il pour P-205?", found(PUMP)) is True


def test_raw_scores_are_not_needed() -> None:
    bare = Hit(PUMP, hit(PUMP).document, 1.0, "semantic")
    assert is_weak("How much oil does the centrifugal pump need?", [bare]) is False
    assert is_weak("How much oil does the pump P-205 need?", [bare]) is True


def test_it_cannot_be_told_where_there_is_nothing_to_compare() -> None:
    assert is_weak("How much oil?", []) is None
    assert is_weak("?!", found(PUMP)) is None


@given(st.text(max_size=300), st.lists(st.text(max_size=500), max_size=4))
def test_any_question_and_any_text_give_a_share_or_nothing(question: str, contents: list[str]) -> None:
    result = evidence(question, found(*(text_block(content) for content in contents)))
    assert result is None or 0 <= result <= 1


def test_more_than_half_of_the_question_must_stand_in_what_is_quoted_or_above_it() -> None:
    (pump,) = found(text_block("The pump needs 2 litres of oil. Its seals are new.", heading="Centrifugal"))
    assert answers_to("How much oil does the pump need?", pump, "The pump needs 2 litres of oil.")
    assert answers_to("How much oil does the centrifugal pump need?", pump, "The pump needs 2 litres.")
    assert not answers_to("How much oil does the pump need?", pump, "Its seals are new.")
    assert not answers_to("Which colour does the oil have?", pump, "The pump needs 2 litres of oil.")


def test_a_hit_is_in_another_language_where_both_are_known() -> None:
    (pump, pumpe) = found(PUMP, PUMPE)
    assert is_foreign("How often are the seals replaced?", pumpe)
    assert is_foreign("Wie oft werden die Dichtungen getauscht?", pump) is True
    assert not is_foreign("Wie oft werden die Dichtungen getauscht?", pumpe)
    assert not is_foreign("P-101", pumpe)
