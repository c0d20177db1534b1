"""What the service gives beside the fields of a row, without what is not as it must be: scores, captions and counts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from corpus.index.azure.rows import MOST
from corpus.index.azure.scores import RERANKED, SCORE

CAPTIONS = "@search.captions"


def row_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """The row with finite numbers or None for its scores, and with those of its captions that have a text."""
    return {
        **given,
        SCORE: _score(given.get(SCORE)),
        RERANKED: _score(given.get(RERANKED)),
        CAPTIONS: _captions(given),
    }


def total_of(given: object) -> int | None:
    """How many rows there are; None for what cannot be a number of rows."""
    if not isinstance(given, int) or isinstance(given, bool):
        return None
    return given if 0 <= given < MOST else None


def _score(given: object) -> float | None:
    if not isinstance(given, int | float) or isinstance(given, bool):
        return None
    try:
        return float(given) if math.isfinite(given) else None
    except OverflowError:  # a whole number beyond every float
        return None


def _captions(given: Mapping[str, Any]) -> tuple[Any, ...]:
    captions = given.get(CAPTIONS)
    if not isinstance(captions, list | tuple):
        return ()
    return tuple(one for one in captions if isinstance(getattr(one, "text", None), str))
