"""An invalid value of any setting is reported in plain words, with the fix."""

from __future__ import annotations

import pytest

from corpus.errors import NotConfigured
from server.settings.model import load_settings, variables

LIBRARY_WORDS = (
    "Input should",
    "unable to",
    "valid integer",
    "valid number",
    "valid string",
    "validation error",
)


@pytest.mark.parametrize("value", ["abc", "-1", "1.5", "inf", "nan", "9" * 30, "9" * 5000])
def test_no_library_wording_reaches_the_user(value: str) -> None:
    problems = {name: said for name in variables() if (said := problem(name, value))}

    assert len(problems) > 10
    assert {name: said for name, said in problems.items() if any(words in said for words in LIBRARY_WORDS)} == {}


def problem(name: str, value: str) -> str:
    """Return the message about a value, if there is one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(name, value)
        try:
            load_settings()
        except NotConfigured as error:
            return str(error)
    return ""


def test_a_word_instead_of_a_number_is_reported_with_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_RATE_LIMIT", "abc")
    with pytest.raises(NotConfigured, match=r"^RAG_RATE_LIMIT is 'abc'\. Set it to a whole number\.$"):
        load_settings()
