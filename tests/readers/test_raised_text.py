from __future__ import annotations

import pytest

from corpus.readers.elements.element import left_out_warnings
from corpus.readers.typography import subscript, superscript


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        ("10", "6", "10⁶"), ("1.2 × 10", "-9", "1.2 × 10⁻⁹"), ("2", "32", "2³²"), ("5 m", "2", "5 m²"),
        ("5 kg/cm", "3", "5 kg/cm³"), ("s", "−1", "s⁻¹"), ("x", "n+1", "xⁿ⁺¹"), ("e", "−2t", "e^(−2t)"),
        ("Ca", "2+", "Ca²⁺"), ("(a + b)", "2", "(a + b)²"),
    ],
)  # fmt: skip
def test_exponents_stay_with_their_base(before: str, text: str, after: str) -> None:
    assert before + superscript(text, before) == after


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        ("950", "3", "950 ³"), ("4.10", "6", "4.10 ⁶"), ("harbour", "3", "harbour ³"), ("Smith", "1,2", "Smith ¹,²"),
        ("paid.", "12", "paid. ¹²"), ("Smith", "a", "Smith a"), ("word", "[3]", "word[3]"), ("", "1", "¹"),
    ],
)  # fmt: skip
def test_note_marks_are_separate_from_the_marked_text(before: str, text: str, after: str) -> None:
    assert before + superscript(text, before) == after


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        ("the 1", "st", "the 1st"),
        ("the 2", "nd", "the 2nd"),
        ("XIX", "e", "XIXe"),
        ("M", "me", "Mme"),
        ("Ibid", "TM", "Ibid™"),
    ],
)
def test_ordinals_and_trade_marks_stay_letters(before: str, text: str, after: str) -> None:
    assert before + superscript(text, before) == after


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [("H", "2", "H₂"), ("CO", "2", "CO₂"), ("V", "max", "V_max"), ("log", "10", "log₁₀"), ("a ", "b", "a b")],
)
def test_lowered_text_is_written_as_subscript(before: str, text: str, after: str) -> None:
    assert before + subscript(text, before) == after


def test_space_around_raised_text_stays() -> None:
    assert superscript(" 2 ", "450") == " ² "


def test_omissions_are_reported_by_kind_and_count() -> None:
    told = list(left_out_warnings({"text box": 2, "comment": 1, "chart": 0}, unseen=1))
    assert told == ["Hidden text was left out in 1 place.", "Left out: 1 comment, 2 text boxes."]
