"""The head of a table that nothing rules: which of its lines are one, and what stands over several columns."""

from __future__ import annotations

from itertools import pairwise

from corpus.readers.pdf.tables.bands import Band, append, is_between
from corpus.readers.pdf.tables.rules import Rule
from corpus.readers.pdf.tables.words import Word, around

_CENTRED = 2.0


def merged_head(bands: list[Band], across: list[Rule]) -> list[Band]:
    """Lines of the head put together, except below an entry that stands over several columns."""
    merged: list[Band] = []
    for band in bands:
        last = merged[-1] if merged else None
        if last is None:
            merged.append(band)
        elif is_between(last, band) and not band.columns & last.columns:
            append(last, band)  # of the height of several lines, in their middle
            last.centred |= band.columns
        elif _is_spread(last, band) or _is_ruled(last, band, across):
            merged.append(band)
        elif _is_centred_below(last, band) or not (last.spanning or band.spanning):
            append(last, band)
        else:
            merged.append(band)
    return merged


def _is_ruled(last: Band, band: Band, across: list[Rule]) -> bool:
    return any(last.bottom - 3 <= rule.at <= band.top + 3 and rule.length > 8 for rule in across)


def are_unclear(bands: list[Band]) -> bool:
    """Whether an entry stands above titles, but straight above none: nobody knows over how many it stands."""
    for last, band in pairwise(bands):
        if last.spanning or band.spanning or is_between(last, band) or not last.columns < band.columns:
            continue
        if not all(_is_above(last.held[column], band.held[column]) for column in last.columns):
            return True
    return False


def _is_above(upper: list[Word], lower: list[Word]) -> bool:
    """Whether two entries stand one above the other at their left or right ends or their middles."""
    one, other = around(upper), around(lower)
    offs = (one[0] - other[0], one[2] - other[2], (one[0] + one[2] - other[0] - other[2]) / 2)
    return min(map(abs, offs)) < _CENTRED


def _is_centred_below(last: Band, band: Band) -> bool:
    """Whether each entry stands in the middle below one of the line before."""
    return band.columns <= last.columns and all(
        abs(_middle(last.held[column]) - _middle(band.held[column])) < _CENTRED for column in band.columns
    )


def _is_spread(last: Band, band: Band) -> bool:
    """Entries above a line of titles, while others are as high as both, stand over all of them.

    False where nobody knows which stands over which.
    """
    if not last.centred or band.columns & last.centred:
        return False
    spread = {}
    for column in last.columns - last.centred:
        run = _run_at(column, band.columns)
        if len(run) < 2 or len(set(run) & last.columns) > 1:
            return False
        spread[column] = run
    for column, run in spread.items():
        last.held[run[0]] = last.held.pop(column)
        last.spans.pop(column)
        last.spans[run[0]] = len(run)
        last.ends[run[0]] = last.ends.pop(column)
    return bool(spread)


def _run_at(column: int, columns: set[int]) -> range:
    """The columns without a break around one of them; empty where it is none of them."""
    first = last = column
    while first - 1 in columns:
        first -= 1
    while last + 1 in columns:
        last += 1
    return range(first, last + 1) if column in columns else range(0)


def _middle(words: list[Word]) -> float:
    left, _, right, _ = around(words)
    return (left + right) / 2
