"""Which rows of a table are shown: all of one that fits, else the best."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.synthesis.composing.table import Table, letters

WHOLE_ROWS = 14
MOST_ROWS = 8
A_TABLE = 1000
"""Letters of a table, beside what room there is for text."""
LITTLE_ROOM = A_TABLE // 4
"""Room for text in which a table of that length would be out of place."""


def rows_shown(table: Table, scores: Sequence[float], room: int) -> tuple[int, ...]:
    """By number, in their order; `room` is for text. At least one of a table that has rows."""
    everything = tuple(range(len(table.rows)))
    most = room + A_TABLE if room > LITTLE_ROOM else 2 * room
    if len(everything) <= WHOLE_ROWS and letters(table, everything) <= most:
        return everything
    kept: list[int] = []
    for n in sorted(everything, key=lambda n: (-scores[n], n)):
        if kept and (len(kept) == MOST_ROWS or letters(table, [*kept, n]) > most):
            break
        kept.append(n)
    return tuple(sorted(kept))
