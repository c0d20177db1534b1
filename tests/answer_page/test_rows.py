"""A claim that is a table row is read without the bars of Markdown."""

import pytest

from server.answer_page import answer_text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("| E-04 | Seal leakage | Worn seal faces |", "E-04 · Seal leakage · Worn seal faces"),
        ("| Total | | 8.40 | ", "Total · 8.40"),
        (r"| a \| b | c |", "a | b · c"),
        ("A pump | a valve", "A pump | a valve"),
        ("It says | this | and more.", "It says | this | and more."),
        ("|x|", "x"),
        ("| |", "| |"),
        ("| a | b |\n| c | d |", "| a | b |\n| c | d |"),
    ],
)
def test_cells_are_separated_by_dots_and_other_text_is_unchanged(text: str, said: str) -> None:
    assert answer_text.read(text) == said
