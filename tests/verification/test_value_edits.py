"""The edits that measure verification change exactly one value, and are the same in every run."""

from __future__ import annotations

from random import Random

import pytest

from bench.grounding.edits import Edit, Kind, Language, edits

ENGLISH = "In July 1999, six of the 1,200 pumps from Berlin ran for 30 minutes."
GERMAN = "Am 4. Juli 1999 liefen sechs der 1.200 Pumpen aus Berlin 30 Minuten lang."


def edited(
    sentence: str,
    kind: Kind,
    language: Language = "en",
    source: str = "",
    names: frozenset[str] | None = None,
) -> list[Edit]:
    """Return distinct edits of a kind, from many seeds."""
    source = f"{sentence} {source}"
    made = [edits(sentence, source, language, Random(seed), names) for seed in range(60)]
    return list(dict.fromkeys(edit for found in made for edit in found if edit.kind == kind))


@pytest.mark.parametrize(("sentence", "language"), [(ENGLISH, "en"), (GERMAN, "de")])
def test_each_kind_of_edit_exists_and_changes_only_its_value(sentence: str, language: Language) -> None:
    found = edits(sentence, sentence, language, Random(1))
    assert [edit.kind for edit in found] == ["digit", "date", "word", "unit", "name"]
    for edit in found:
        assert edit.text.replace(edit.now, edit.was) == sentence
        assert edit.now not in sentence


def test_equal_seeds_give_equal_edits() -> None:
    assert edits(ENGLISH, ENGLISH, "en", Random(7)) == edits(ENGLISH, ENGLISH, "en", Random(7))


def test_an_edited_digit_is_the_only_difference_and_the_number_keeps_its_length() -> None:
    for edit in edited(ENGLISH, "digit"):
        assert len(edit.now) == len(edit.was)
        assert sum(a != b for a, b in zip(edit.now, edit.was, strict=True)) == 1


def test_a_value_that_the_source_has_elsewhere_is_not_edited_in() -> None:
    others = "1 2 3 4 5 6 8 9"
    assert not edited("It has 7 blades.", "digit", source=others)
    assert edited("It has 7 blades.", "digit", source=others.replace("3", ""))


def test_a_number_that_the_source_has_in_words_is_not_edited_in() -> None:
    assert not [e for e in edited("It has 7 blades.", "digit", source="three pumps") if e.now == "3"]
    assert not [e for e in edited("It has seven blades.", "word", source="9 pumps") if e.now == "nine"]


@pytest.mark.parametrize(
    ("sentence", "language", "was"),
    [
        ("It opened on July 4, 1999 in Ghent.", "en", "July 4, 1999"),
        ("It opened on 4 July 1999 in Ghent.", "en", "4 July 1999"),
        ("Er wurde am 4. März 1999 eröffnet.", "de", "4. März 1999"),
        ("Eröffnet am 04.07.1999.", "de", "04.07.1999"),
        ("Opened 1999-07-04.", "en", "1999-07-04"),
    ],
)
def test_a_date_is_edited_as_a_unit(sentence: str, language: Language, was: str) -> None:
    found = edited(sentence, "date", language)
    assert {edit.was for edit in found} == {was}
    assert all("1999" in edit.now for edit in found)


def test_a_month_without_day_or_year_is_unchanged() -> None:
    assert not edited("It may close, but March on.", "date")


def test_only_a_unit_next_to_its_number_is_replaced() -> None:
    assert {edit.now for edit in edited("A pipe of 5 cm is a km long.", "unit")} >= {"5 m", "5 mm", "5 km"}
    assert not edited("A pipe is a km long.", "unit")
    assert not [e for e in edited("A pipe of 5 cm.", "unit", source="5 mm") if e.now == "5 mm"]


def test_the_first_word_of_a_sentence_is_not_a_name() -> None:
    assert {edit.was for edit in edited("Turbines from Berlin cool: Air helps.", "name")} == {"Berlin"}


def test_german_names_are_the_given_ones() -> None:
    names = frozenset({"Berlin"})
    assert {edit.was for edit in edited(GERMAN, "name", "de", names=names)} == {"Berlin"}
    assert not edited(GERMAN, "name", "de", names=frozenset())


def test_a_genitive_keeps_its_ending() -> None:
    assert all(edit.text.endswith("'s roof.") for edit in edited("They saw Luther's roof.", "name"))
