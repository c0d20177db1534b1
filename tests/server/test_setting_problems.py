"""A wrong value of any setting is told in our words, with the cure."""

from __future__ import annotations

import pytest

from corpus.errors import NotConfigured
from server.settings import load_settings, variables

LIBRARY_WORDS = (
    "Input should",
    "unable to",
    "valid integer",
    "valid number",
    "valid string",
    "validation error",
)


@pytest.mark.parametrize("name", variables())
@pytest.mark.parametrize("value", ["abc", "-1", "1.5", "inf", "nan", "9" * 30, "9" * 5000])
def test_no_wording_of_a_library_reaches_the_user(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    said = ""
    try:
        load_settings()
    except NotConfigured as error:
        said = str(error)
    assert not any(words in said for words in LIBRARY_WORDS), said


def test_a_word_in_place_of_a_number_names_the_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_RATE_LIMIT", "abc")
    with pytest.raises(NotConfigured, match=r"^RAG_RATE_LIMIT is 'abc'\. Set it to a whole number\.$"):
        load_settings()
