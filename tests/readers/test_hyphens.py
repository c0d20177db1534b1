"""Words hyphenated at the end of a line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.readers.pdf.text.lines import Words, join_lines

MARK = "\x02"


def words(*lines: str) -> Words:
    seen = Words()
    for line in lines:
        seen.see(f"first {line} last")
    return seen


@pytest.mark.parametrize(
    ("lines", "known", "text"),
    [
        (["often re\x02", "quires evidence"], [], "often requires evidence"),
        (["a CNC\x02", "Steuerung"], [], "a CNC-Steuerung"),
        (["COVID\x02", "19 cases"], [], "COVID-19 cases"),
        (["the state\x02", "of affairs"], ["state-of"], "the state-of affairs"),
        (["a high\x02", "quality set"], ["high", "quality"], "a high-quality set"),
        (["a data\x02", "base here"], ["database", "data", "base"], "a database here"),
        (["a well\x02", "trained crew"], [], "a well-trained crew"),
        (["their self\x02", "made boats"], [], "their self-made boats"),
        (["the short\x02", "ages of coal"], [], "the shortages of coal"),
        (["the high\x02", "lights of it"], [], "the highlights of it"),
        (["an ill\x02", "ness of men"], [], "an illness of men"),
        (["called PRO\x02", "GRAM here"], ["PROGRAM"], "called PROGRAM here"),
        (["die Ein\x02", "und Ausgabe"], [], "die Ein- und Ausgabe"),
        (["a well-", "known fact"], [], "a well-known fact"),
        (["the be-", "lieve system"], ["believe"], "the believe system"),
        (["HOVER 4-", "hop claims"], [], "HOVER 4-hop claims"),
        (["pages 12-", "15 of it"], [], "pages 12-15 of it"),
        (["a range -", "of things"], [], "a range - of things"),
        (["two words", "joined"], [], "two words joined"),
        (["日本語の", "文章"], [], "日本語の文章"),
        (["한국어", "문장"], [], "한국어 문장"),
        (["the end\x02"], [], "the end-"),
    ],
)
def test_lines_join_as_a_reader_would_join_them(lines: list[str], known: list[str], text: str) -> None:
    assert join_lines(lines, words(*known)) == text


LINE = st.text(st.characters(categories=("L", "N", "P", "Zs"), exclude_characters=MARK), min_size=1)


@given(st.lists(st.tuples(LINE, st.booleans()), min_size=1))
def test_joining_loses_and_adds_no_letters(parts: list[tuple[str, bool]]) -> None:
    lines = [line + MARK * marked for line, marked in parts]
    text = join_lines(lines, words())
    assert MARK not in text
    kept = [letter for letter in text if letter != "-" and not letter.isspace()]
    assert kept == [letter for line in lines for letter in line if letter not in MARK + "-" and not letter.isspace()]
