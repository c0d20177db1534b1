"""The part of a block that speaks to a question."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from corpus.synthesis.excerpt import excerpt

FILLER = "Nothing of interest is said in this sentence. " * 12
ANSWER = "The impeller turns at 2900 revolutions per minute."


def test_a_short_block_is_given_whole() -> None:
    assert excerpt("Short.", "anything") == "Short."


def test_the_sentence_that_shares_words_with_the_question_is_kept() -> None:
    part = excerpt(FILLER + ANSWER + " " + FILLER, "How fast does the impeller turn?", longest=200)
    assert ANSWER in part
    assert part.startswith("… ")
    assert part.endswith(" …")


def test_a_single_endless_sentence_is_cut_at_a_word() -> None:
    part = excerpt("word " * 1000, "q", longest=100)
    assert len(part) <= 104
    assert part.endswith("word …")


@given(st.text(max_size=3000), st.text(max_size=60))
def test_an_excerpt_is_bounded_for_any_text(text: str, query: str) -> None:
    assert len(excerpt(text, query, longest=200)) <= 204
