"""Time limits of calls to a search service."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import anyio

from corpus.errors import Timeout
from server.settings.model import Settings

WITH_A_SERVICE = 29.5
"""Maximum number of seconds for a call with all its requests and retries, so that it answers within thirty seconds."""

WITH_A_MODEL = 42.0
"""Additional seconds for a call that may wait for a model. `Pen.seconds` is slightly lower, which leaves time to
compose an answer without the model."""


def limit_of(settings: Settings) -> float | None:
    """Return the time limit in seconds for a call to the configured index, or None (no limit) for a local index."""
    return WITH_A_SERVICE if settings.backend == "azure" else None


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """Cancel the block after `seconds` and raise Timeout. None means no limit."""
    with anyio.move_on_after(math.inf if seconds is None else seconds) as scope:
        yield
    if scope.cancelled_caught:
        raise Timeout(
            f"The call was ended after {seconds:.0f} seconds: the search service was too slow.",
            hints=("Try again in a moment, or ask for less.",),
        )
