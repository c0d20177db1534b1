"""Validate response data other than row fields: scores, captions, counts, and knowledge base activity."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from corpus.index.azure.rows import MAX_NUMBER
from corpus.index.azure.scores import RERANKED, SCORE

CAPTIONS = "@search.captions"


@dataclass(frozen=True, slots=True)
class Retrieval:
    """References of a knowledge base: row keys with scores from 0 to 4. `tokens` counts those of its model; `activity`
    has one line per step."""

    references: tuple[tuple[str, float], ...]
    activity: tuple[str, ...] = ()
    tokens: int = 0
    partial: bool = False


def row_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row with valid scores (finite or None) and only captions that have a text."""
    return {
        **row,
        SCORE: _score(row.get(SCORE)),
        RERANKED: _score(row.get(RERANKED)),
        CAPTIONS: _captions(row),
    }


def total_of(value: object) -> int | None:
    """Return the number of rows, or None for an invalid count."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value < MAX_NUMBER else None


def retrieval_of(answer: Any, *, partial: bool) -> Retrieval:
    """Return the valid references of a knowledge base's response, with its activity and tokens."""
    keys = [
        (key, _score(reference.reranker_score) or 0.0)
        for reference in answer.references or ()
        if reference.type == "searchIndex" and isinstance(key := reference.get("docKey"), str)
    ]
    records = [record for record in answer.activity or () if isinstance(record, Mapping)]
    failed = any(record.get("error") for record in records)
    tokens = sum(_tokens(record) for record in records)
    return Retrieval(tuple(keys), tuple(map(_activity, records)), tokens, partial or failed)


def _tokens(record: Mapping[str, Any]) -> int:
    """Return the tokens of all kinds in an activity record, such as `reasoningTokens`."""
    counts = [value for name, value in record.items() if name.endswith("Tokens")]
    return sum(value for value in counts if isinstance(value, int) and 0 < value < MAX_NUMBER)


def _activity(record: Mapping[str, Any]) -> str:
    """Return a summary like `searchIndex 1234 ms, 2 found`. It omits the arguments, which quote filters."""
    kind, took, count = str(record.get("type"))[:40], record.get("elapsedMs"), record.get("count")
    parts = [f"{kind} {took} ms" if isinstance(took, int) else kind]
    parts += [f"{count} found"] if isinstance(count, int) else []
    return ", ".join(parts + (["failed"] if record.get("error") else []))


def _score(value: object) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:  # an integer too large for a float
        return None


def _captions(row: Mapping[str, Any]) -> tuple[Any, ...]:
    captions = row.get(CAPTIONS)
    if not isinstance(captions, list | tuple):
        return ()
    return tuple(one for one in captions if isinstance(getattr(one, "text", None), str))
