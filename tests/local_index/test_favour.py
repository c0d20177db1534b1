"""What an embedder gives to the language of a question is taken back, among what the caller may read."""

from __future__ import annotations

import numpy as np
import pytest

from corpus.index.local.favour import corrections

ENGLISH, GERMAN, UNKNOWN = 1, 2, 0


def _spoken(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.int16)


def test_passages_of_two_languages_are_compared_with_the_mean_of_their_own() -> None:
    near = np.array([0.9, 0.7, 0.8, 0.6] * 500, dtype=np.float32)
    spoken = _spoken(*[GERMAN, GERMAN, ENGLISH, ENGLISH] * 500)

    added = corrections(near, spoken, share=1.0, doubt=0.01)

    assert added is not None
    evened = near + added[spoken]
    assert evened[spoken == GERMAN].mean() == pytest.approx(evened[spoken == ENGLISH].mean(), abs=1e-3)
    assert evened[0] == pytest.approx(evened[2], abs=1e-3)


def test_within_a_language_nothing_is_evened_out() -> None:
    near = np.array([0.9, 0.1, 0.5], dtype=np.float32)

    assert corrections(near, _spoken(ENGLISH, ENGLISH, ENGLISH), share=1.0, doubt=20.0) is None
    assert corrections(near, _spoken(ENGLISH, UNKNOWN, UNKNOWN), share=1.0, doubt=20.0) is None


def test_a_lone_passage_is_hardly_its_own_mean() -> None:
    near = np.array([0.9, *[0.5] * 40], dtype=np.float32)
    spoken = _spoken(GERMAN, *[ENGLISH] * 40)

    added = corrections(near, spoken, share=1.0, doubt=20.0)

    assert added is not None
    assert near[0] + added[GERMAN] > near[1] + added[ENGLISH] + 0.3


def test_what_has_no_known_language_is_left_alone() -> None:
    near = np.array([0.9, 0.5, 0.1], dtype=np.float32)

    added = corrections(near, _spoken(GERMAN, ENGLISH, UNKNOWN), share=1.0, doubt=1.0)

    assert added is not None
    assert added[UNKNOWN] == 0.0


def test_no_passage_at_all_is_nothing_to_even_out() -> None:
    assert corrections(np.zeros(0, dtype=np.float32), _spoken(), share=1.0, doubt=20.0) is None
