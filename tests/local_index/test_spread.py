"""A question that compares things is answered from several documents."""

from __future__ import annotations

import pytest

from corpus.index.local.spread import compares, spread


@pytest.mark.parametrize(
    "query",
    [
        "Compare the two plans",
        "plan A versus plan B",
        "What differs in them?",
        "Worin unterscheiden sich A und B?",
    ],
)
def test_a_question_that_compares_is_known_by_its_words(query: str) -> None:
    assert compares(query)


@pytest.mark.parametrize(
    "query", ["What does the indifferent pump cost?", "vsync", "Was ist ein Vergleichswert?"]
)
def test_a_word_that_only_looks_like_it_compares_nothing(query: str) -> None:
    assert not compares(query)


def test_a_second_document_comes_before_the_last_of_the_first() -> None:
    ranked = [(1, 0.9), (2, 0.88), (3, 0.86), (4, 0.75)]
    found = spread(ranked, {1: 7, 2: 7, 3: 7, 4: 8}, keep=0.9)
    assert [block for block, _ in found] == [1, 2, 4, 3]
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_what_is_far_worse_is_not_carried_up() -> None:
    assert [block for block, _ in spread([(1, 0.9), (2, 0.8), (3, 0.2)], {1: 7, 2: 7, 3: 8}, keep=0.9)] == [
        1,
        2,
        3,
    ]
