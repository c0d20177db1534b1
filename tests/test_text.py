"""Text in the form in which it may be stored and shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from corpus.embedding.known_models import fit_tokens
from corpus.text.normalization import clean, fold_case, token_estimate


def test_invisible_characters_are_dropped_and_the_rest_is_kept() -> None:
    assert clean("a\x00b\u200bc\u202ed\ud800e\U000e0041f\r\ng\th") == "abcdef\ng\th"


def test_joiners_stay_because_persian_needs_them() -> None:
    assert clean("می\u200cخواهم") == "می\u200cخواهم"


@given(st.text(alphabet=st.characters(codec=None), max_size=300))
def test_clean_text_can_be_encoded_and_stays_unchanged_when_cleaned(text: str) -> None:
    once = clean(text)
    once.encode("utf-8")
    assert clean(once) == once


@given(st.text(max_size=5000), st.integers(5, 300))
def test_fitted_text_is_never_empty_and_has_no_endless_run(text: str, most: int) -> None:
    part = fit_tokens(text, most)
    assert part.strip()
    assert token_estimate(part) <= most + len(part) // 200 + 1
    assert max(map(len, part.split())) <= 200


def test_superscripts_become_powers_after_digits_and_join_nothing_else() -> None:
    assert fold_case("10⁶ and 2×10⁻³") == "10^6 and 2×10^-3"
    assert fold_case("m² H₂O") == "m2 h2o"
    assert fold_case("950 ³ degrees").split() == ["950", "3", "degrees"]


def test_the_turkish_letters_i_are_equal() -> None:
    assert fold_case("İSKELE ISITMA") == fold_case("iskele ısıtma")
