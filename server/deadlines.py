"""The longest that a call may take where a service answers it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import anyio

from corpus.errors import IbidError, Timeout

WITH_A_SERVICE = 30.0
"""Seconds for a whole call, every request and repetition in it included."""


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """End what is inside after that time. Raises Timeout; None is no limit.

    A failure of ours that a task group wrapped, because several things were asked at once, leaves without it.
    """
    with anyio.move_on_after(math.inf if seconds is None else seconds) as scope:
        try:
            yield
        except ExceptionGroup as group:
            cause = _first_planned(group) or group
            raise cause from cause.__cause__
    if scope.cancelled_caught:
        raise Timeout(
            f"The call was ended after {seconds:.0f} seconds: the search service was too slow.",
            hints=(
                "The same call can work in a moment; a smaller top_k or a narrower filter asks less of it.",
            ),
        )


def _first_planned(group: ExceptionGroup[Exception]) -> IbidError | None:
    for one in group.exceptions:
        found = _first_planned(one) if isinstance(one, ExceptionGroup) else one
        if isinstance(found, IbidError):
            return found
    return None
