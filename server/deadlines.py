"""The longest that a call may take where a service answers it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import anyio

from corpus.errors import Timeout

WITH_A_SERVICE = 30.0
"""Seconds for a whole call, every request and repetition in it included."""


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """End what is inside after that time. Raises Timeout; None is no limit."""
    with anyio.move_on_after(math.inf if seconds is None else seconds) as scope:
        yield
    if scope.cancelled_caught:
        raise Timeout(
            f"The call was ended after {seconds:.0f} seconds: the search service was too slow.",
            hints=(
                "The same call can work in a moment; a smaller top_k or a narrower filter asks less of it.",
            ),
        )
