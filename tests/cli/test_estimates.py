"""How long vectors are said to take."""

from __future__ import annotations

import pytest

from server.commands.estimates import before, measured


@pytest.mark.parametrize(
    ("passages", "said"),
    [
        (32, "about a minute at most"),
        (192, "up to 2 minutes"),
        (1200, "2 to 13 minutes"),
        (9000, "15 to 100 minutes"),
    ],
)
def test_before_the_first_vectors_a_range_is_said(passages: int, said: str) -> None:
    assert before(passages) == said


@pytest.mark.parametrize(
    ("done", "total", "seconds", "said"),
    [
        (32, 192, 16, "about 80 seconds"),
        (32, 192, 4, "about 20 seconds"),
        (32, 1235, 16, "about 10 minutes"),
        (32, 33, 1, "about 10 seconds"),
    ],
)
def test_after_them_their_speed_is_what_counts(done: int, total: int, seconds: float, said: str) -> None:
    assert measured(done, total, seconds) == said
