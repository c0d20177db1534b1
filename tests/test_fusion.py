"""Fusing two rankings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.fusion import DEFAULT, Fusion, Match, best_first, fuse, min_max, over_maximum, ranks

lexical = st.dictionaries(st.integers(0, 30), st.floats(0.01, 50), max_size=20)
dense = st.dictionaries(st.integers(0, 30), st.floats(-1, 1), max_size=20)
rules = st.sampled_from([DEFAULT, Fusion("reciprocal"), Fusion(dense=1.0, lexical=0.0)])
fulls = st.none() | st.floats(0, 100)
spoken = st.dictionaries(st.integers(0, 30), st.integers(1, 3), max_size=30)


@given(lexical, dense, rules, fulls, st.floats(0, 1), spoken)
def test_every_candidate_has_a_score_from_0_to_1(
    words: dict[int, float],
    meaning: dict[int, float],
    rule: Fusion,
    full: float | None,
    coded: float,
    languages: dict[int, int],
) -> None:
    fused = fuse(words, meaning, rule, match=Match(full, coded, languages))
    assert fused.keys() == words.keys() | meaning.keys()
    assert all(0 <= score <= 1 + 1e-9 for score in fused.values())
    assert [key for key, _ in best_first(fused)] == sorted(fused, key=lambda key: (-fused[key], key))


def test_the_order_does_not_change_with_the_number_of_candidates() -> None:
    words, meaning = {1: 9.0, 2: 3.0}, {1: 0.80, 2: 0.88, 3: 0.84, 4: 0.82}
    few = {key: meaning[key] for key in (1, 2)}
    all_of_them = fuse(words, meaning, lowest=0.6)
    for key, score in fuse(words, few, lowest=0.6).items():
        assert score == pytest.approx(all_of_them[key])


@given(lexical, dense, rules)
def test_the_order_of_the_candidates_does_not_matter(
    words: dict[int, float], meaning: dict[int, float], rule: Fusion
) -> None:
    turned = dict(reversed(words.items())), dict(reversed(meaning.items()))
    assert fuse(words, meaning, rule) == fuse(*turned, rule)


def test_both_parts_weigh_the_same() -> None:
    fused = fuse({1: 10.0, 2: 5.0}, {1: 0.8, 2: 0.9, 3: 0.7})
    assert fused == pytest.approx({1: 0.5 + 0.5 * 0.5, 2: 0.25 + 0.5, 3: 0.0})


def test_a_passage_without_a_vector_is_neither_first_by_right_nor_last() -> None:
    fused = fuse({1: 10.0}, {2: 0.9, 3: 0.8, 4: 0.7})
    assert fused[2] < fused[1] < 1
    fused = fuse({1: 2.0, 2: 10.0}, {2: 0.9, 3: 0.8, 4: 0.7})
    assert fused[2] > fused[3] > fused[1] > 0


@pytest.mark.parametrize("rule", [DEFAULT, Fusion("reciprocal")])
def test_where_words_reach_nothing_only_vectors_count(rule: Fusion) -> None:
    fused = fuse({1: 99.0, 2: 1.0}, {1: 0.1, 2: 0.9}, rule, match=Match(full=1e9))
    assert [key for key, _ in best_first(fused)] == [2, 1]


def test_words_weigh_as_much_as_the_best_match_reaches() -> None:
    words, meaning = {1: 8.0}, {1: 0.5, 2: 0.8, 3: 0.4}
    assert fuse(words, meaning) == pytest.approx({1: 0.5 + 0.5 * 0.25, 2: 0.5, 3: 0.0})
    assert fuse(words, meaning, match=Match(full=16.0)) == pytest.approx(
        {1: (1 + 2 * 0.25) / 3, 2: 2 / 3, 3: 0.0}
    )


def test_a_passage_of_another_language_is_not_compared_with_the_best_match_of_the_question_s_own() -> None:
    words, meaning = {1: 8.0, 3: 1.0}, {1: 0.7, 2: 0.9, 3: 0.6}
    english, german = 1, 2
    languages = {1: english, 2: german, 3: english}
    apart = fuse(words, meaning, match=Match(full=16.0, languages=languages))
    assert best_first(apart)[0] == (2, 1.0)
    assert best_first(fuse(words, meaning, match=Match(full=8.0)))[0][0] == 1


def test_a_part_number_in_the_question_is_expected_in_every_language() -> None:
    words, meaning = {1: 8.0}, {1: 0.7, 2: 0.9, 3: 0.6}
    match = Match(full=8.0, coded=0.9, languages={1: 1, 2: 2, 3: 1})
    assert best_first(fuse(words, meaning, match=match))[0][0] == 1


def test_the_more_of_a_question_is_codes_the_more_its_words_weigh() -> None:
    words, meaning = {1: 8.0, 2: 4.0}, {1: 0.6, 2: 0.9, 3: 0.5}
    assert best_first(fuse(words, meaning, match=Match(full=8.0)))[0][0] == 2
    assert best_first(fuse(words, meaning, match=Match(full=8.0, coded=1.0)))[0][0] == 1


def test_words_alone_are_ranked_by_themselves_whatever_they_reach() -> None:
    assert fuse({1: 4.0, 2: 8.0}, {}, match=Match(full=80.0)) == {1: 0.5, 2: 1.0}
    assert fuse({1: 4.0, 2: 8.0}, {}, Fusion("reciprocal"), match=Match(full=80.0))[2] == 1.0


def test_one_part_alone_is_ranked_by_itself() -> None:
    assert fuse({1: 4.0, 2: 8.0}, {}) == {1: 0.5, 2: 1.0}
    assert fuse({}, {1: 0.5, 2: 0.7}) == {1: 0.0, 2: 1.0}
    assert fuse({}, {}) == {}


def test_reciprocal_ranks_put_what_both_found_first() -> None:
    rule = Fusion("reciprocal", dense=1.0, lexical=1.0)
    fused = fuse({"a": 9.0, "b": 5.0}, {"b": 0.9, "c": 0.8}, rule)
    assert [key for key, _ in best_first(fused)] == ["b", "a", "c"]
    assert fused["b"] == pytest.approx((1 / 61 + 1 / 62) / (2 / 61))


def test_normalising() -> None:
    assert over_maximum({1: 4.0, 2: 1.0}) == {1: 1.0, 2: 0.25}
    assert min_max({1: 0.9, 2: 0.7}) == {1: 1.0, 2: 0.0}
    assert min_max({1: 0.9, 2: 0.9}) == {1: 1.0, 2: 1.0}
    assert ranks({3: 0.5, 1: 0.5, 2: 0.9}) == {2: 1, 1: 2, 3: 3}
