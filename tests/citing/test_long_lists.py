"""Endless lists of numbers that do not end like a marker: each is rejected in one pass."""

from __future__ import annotations

import pytest

from corpus.citing.rendered_text import _LISTED


@pytest.mark.parametrize("part", ["1,", "1, ", "1 , ", "1 and ", "1-2;", "[1],", "#1^, ", " ", "[", "1 "])
def test_a_list_that_does_not_end_like_a_marker_is_rejected(part: str) -> None:
    # If each part could be read in two ways, this would take longer than the timeout of the tests.
    assert _LISTED.fullmatch(part * 300 + "!") is None


@pytest.mark.parametrize("body", ["1", "[1]", "1, 2", "[1, 2], [3-5]", "1 and 2", " [1] [2] ", "1;2,3", "2–4 [7]"])
def test_a_valid_list_is_recognised(body: str) -> None:
    assert _LISTED.fullmatch(body)
