"""Lists on pages: each item is a separate line with all its words, nested or not, and the list stays together."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.readers.conftest import Read
from tests.readers.pdfs import both, drawn, lines


@pytest.mark.parametrize(
    "marks",
    [
        ("1.", "2.", "3."),
        ("(a)", "(b)", "(c)"),
        ("-", "-", "-"),
        ("i)", "ii)", "iii)"),
        ("(A)", "(B)", "(C)"),
    ],
)
def test_list_items_are_separate_lines(tmp_path: Path, read: Read, marks: tuple[str, str, str]) -> None:
    entries = [f"{mark} Close the valve of the cooler and wait a while" for mark in marks]
    _, (block,) = read(drawn(tmp_path / "a.pdf", lines("Do this before the start of the pump:", *entries)))
    assert block.content.splitlines() == ["Do this before the start of the pump:", *entries]


def test_a_long_item_is_one_line(tmp_path: Path, read: Read) -> None:
    page = both(
        lines("1. Close the valve of the cooler and wait until the lamp", top=100),
        lines("goes out, which takes a minute or two in a cold room.", left=86, top=113.2),
        lines("2. Open it again.", top=126.4),
    )
    _, (block,) = read(drawn(tmp_path / "a.pdf", page))
    assert block.content == (
        "1. Close the valve of the cooler and wait until the lamp goes out, which takes a minute or two in a cold "
        "room.\n2. Open it again."
    )


def test_numbers_without_a_full_stop_and_larger_than_their_text_begin_items_too(tmp_path: Path, read: Read) -> None:
    texts = ["Let the machine cool.", "Fill the tank with water.", "Run the program.", "Rinse three times."]
    marks = [lines(str(n), size=13, top=100 + 14 * n) for n in range(1, 5)]
    entries = [lines(text, left=92, size=10, top=100 + 14 * n) for n, text in enumerate(texts, 1)]
    drawings = [part for pair in zip(marks, entries, strict=True) for part in pair]
    page = both(lines("Cleaning of the machine, step by step:", size=10), *drawings)
    _, (block,) = read(drawn(tmp_path / "a.pdf", page))
    assert block.content.splitlines()[1:] == [f"{n} {text}" for n, text in enumerate(texts, 1)]
    assert block.heading is None


def test_items_of_an_inner_list_stay_under_the_outer_one(tmp_path: Path, read: Read) -> None:
    page = both(
        lines("1. Close the valves, which are", top=100),
        lines("a) the one of the cooler", "b) the one of the tank", left=100, top=113.2),
        lines("2. Start the pump", top=139.6),
    )
    _, (block,) = read(drawn(tmp_path / "a.pdf", page))
    assert block.content.splitlines() == [
        "1. Close the valves, which are", "a) the one of the cooler", "b) the one of the tank", "2. Start the pump",
    ]  # fmt: skip
