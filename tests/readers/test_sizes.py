"""Splitting of texts into blocks."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from corpus.readers.chunking import MAX_BLOCK, split_spans

WORD = st.text(st.characters(categories=("L", "P")), min_size=1, max_size=30)
TEXT = st.builds(
    lambda words, gap, times: gap.join(words) * times,
    st.lists(WORD, max_size=80),
    st.sampled_from([" ", "\n", "\n\n", ". ", ""]),
    st.integers(1, 20),
)


@given(TEXT)
def test_the_parts_are_the_text_without_some_whitespace(text: str) -> None:
    spans = split_spans(text)
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())


@given(TEXT)
def test_the_parts_are_in_order_and_none_is_too_long(text: str) -> None:
    spans = split_spans(text)
    assert all(0 < end - start <= MAX_BLOCK for start, end in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))


def test_a_long_paragraph_is_split_between_sentences() -> None:
    text = "This sentence has exactly some words in it. " * 60
    assert all(text[start:end].strip().endswith(".") for start, end in split_spans(text))
