"""Heading lines at the beginning of a passage, which are not part of the sentence below."""

from __future__ import annotations

import pytest

from corpus.documents.headings import behind_headings

PATH = "Manual > Care of pumps in winter > 2 Oil"


@pytest.mark.parametrize(
    ("content", "begins"),
    [
        ("2 Oil\nDrain the oil.", "Drain"),
        ("Oil\n\nDrain the oil.", "Drain"),
        ("# Manual\n\n## 2 Oil\nDrain the oil.", "Drain"),
        ("Oil\n===\nDrain the oil.", "Drain"),
        ("Preface to all\n2 Oil\nDrain the oil.", "Drain"),
        ("Care of pumps\nin winter\n2 Oil\nDrain the oil.", "Drain"),
        ("Oil\nWater\nDrain the oil.", "Water"),
        ("Water runs.\nOil\nDrain the oil.", "Water runs"),
        ("Preface to all\nDrain the oil.", "Preface"),
        ("Never drain\noil\nin winter.", "Never"),
        ("Never drain\npumps in winter\nat night.", "Never"),
        ("2\nDrain the oil.", "2"),
        ("Oil", "Oil"),
    ],
)
def test_a_sentence_begins_after_the_headings_of_its_passage(content: str, begins: str) -> None:
    """This also holds after a title above them. Nothing else is left out."""
    assert content[behind_headings(content, PATH, 0, len(content)) :].startswith(begins)


def test_within_a_passage_nothing_is_a_heading() -> None:
    content = "Drain it. Then look for\nOil\nand water."
    start = content.index("Then")
    assert behind_headings(content, PATH, start, len(content)) == start
