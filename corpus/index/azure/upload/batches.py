"""Rows in batches that the service takes: under 1,000 actions and 16 MB of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Row = Mapping[str, Any]

MOST_ROWS = 900
MOST_BYTES = 8_000_000
"""Half of what the service takes, so that a slow line can send a batch in time."""
MOST_OF_A_ROW = 15_500_000
ENVELOPE = 64
"""Bytes that the name of the action and the commas add to a row, at most."""


def batches(rows: Iterable[Row]) -> Iterator[list[dict[str, Any]]]:
    """The rows in order. A row larger than a batch is one of its own; whether it is too large, `is_too_large` tells."""
    batch: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        more = encoded_size(row)
        if batch and (len(batch) == MOST_ROWS or size + more > MOST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(dict(row))
        size += more
    if batch:
        yield batch


def encoded_size(row: Row) -> int:
    """Bytes on the wire. The SDK writes JSON as Python does by itself: six bytes for a letter beyond ASCII."""
    return len(json.dumps(row)) + ENVELOPE


def is_too_large(row: Row) -> bool:
    return encoded_size(row) > MOST_OF_A_ROW
