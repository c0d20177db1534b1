"""The time limit of a call that a service answers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import anyio

from corpus.errors import Timeout
from server.settings.model import Settings

WITH_A_SERVICE = 29.5
"""Seconds for a whole call, every request and repetition in it included. The answer is there within thirty."""

WITH_A_MODEL = 42.0
"""Seconds more for a call that may wait for a model. `Pen.seconds` is a little less, so that an answer without one is
still put together."""


def limit_of(settings: Settings) -> float | None:
    """Seconds for a call to the index in force; None, which is no limit, where no service answers it."""
    return WITH_A_SERVICE if settings.backend == "azure" else None


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """End what is inside after that time. Raises Timeout; None is no limit."""
    with anyio.move_on_after(math.inf if seconds is None else seconds) as scope:
        yield
    if scope.cancelled_caught:
        raise Timeout(
            f"The call was ended after {seconds:.0f} seconds: the search service was too slow.",
            hints=("The same can work in a moment; one that asks for less is answered sooner.",),
        )
