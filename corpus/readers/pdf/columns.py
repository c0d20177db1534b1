"""Columns of prose: gutters within a region of a page, the text on both sides, and what spans both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from corpus.readers.pdf.lines import Line

_EDGE_STEP = 3.0  # Points within which left edges count as one.
_MIN_LINES = 3  # Lines of a column; fewer align by chance.
_MIN_PROSE_LENGTH = 15  # Average characters of a column's lines; labels and numbers are shorter.
_MAX_DISORDER = 0.1  # Share of the lines that cross the gutter.
_MIN_FULL = 0.7  # Average line width by the usual one; cells are ragged.
_ALIGNED = 3.0  # Points between the tops of two cells of a row.
_MAX_EDGES = 12  # Left edges that are tried, the most common first.


@dataclass(frozen=True, slots=True)
class Columns:
    """Indexes of lines on both sides of a gutter; `across` holds those with nothing beside them."""

    left: tuple[int, ...]
    right: tuple[int, ...]
    across: tuple[int, ...]


def columns_of(lines: Sequence[Line], chosen: Sequence[int]) -> Columns | None:
    """The sides of the clearest gutter among the chosen lines, or None where no prose stands beside prose."""
    candidates = [columns for edge in _edges(lines, chosen) if (columns := _split_at(lines, chosen, edge))]
    return min(
        candidates, key=lambda each: (len(each.across), -min(len(each.left), len(each.right))), default=None
    )


def _edges(lines: Sequence[Line], chosen: Sequence[int]) -> list[float]:
    """Positions at which several lines start, apart from the leftmost."""
    counts: dict[int, int] = {}
    for index in chosen:
        place = round(lines[index].box[0] / _EDGE_STEP)
        counts[place] = counts.get(place, 0) + 1
    often = {place: count + counts.get(place + 1, 0) for place, count in counts.items()}
    edges = sorted((place for place, count in often.items() if count >= _MIN_LINES), key=lambda p: -often[p])
    leftmost = min((place for place in counts), default=0)
    return [_EDGE_STEP * (place - 0.5) for place in edges[:_MAX_EDGES] if place > leftmost + 3]


def _split_at(lines: Sequence[Line], chosen: Sequence[int], edge: float) -> Columns | None:
    left = [index for index in chosen if lines[index].box[2] <= edge]
    right = [index for index in chosen if lines[index].box[0] >= edge - _EDGE_STEP / 2]
    sides = {*left, *right}
    across = []
    strays = 0
    for index in chosen:
        if index in sides:
            continue
        beside_left = _beside(lines, index, left)
        if not beside_left and not _beside(lines, index, right):
            across.append(index)
            continue
        strays += 1
        box = lines[index].box
        (left if edge - box[0] > box[2] - edge else right).append(index)
    if strays > _MAX_DISORDER * len(sides):
        return None
    columns = Columns(tuple(sorted(left)), tuple(sorted(right)), tuple(across))
    return columns if _are_prose(lines, columns) and not _are_rows(lines, columns) else None


def _beside(lines: Sequence[Line], index: int, others: Sequence[int]) -> bool:
    _, top, _, bottom = lines[index].box
    middle, half = (top + bottom) / 2, (bottom - top) / 4
    return any(lines[o].box[1] < middle + half and middle - half < lines[o].box[3] for o in others)


def _are_prose(lines: Sequence[Line], columns: Columns) -> bool:
    """Whether both sides have lines of some length and stand beside each other."""
    for side in (columns.left, columns.right):
        lengths = [len(lines[index].text) for index in side if not lines[index].is_upright]
        if len(lengths) < _MIN_LINES or sum(lengths) < _MIN_PROSE_LENGTH * len(lengths):
            return False
    shorter, longer = sorted((columns.left, columns.right), key=len)
    return sum(_beside(lines, index, longer) for index in shorter) >= min(_MIN_LINES, len(shorter))


def _are_rows(lines: Sequence[Line], columns: Columns) -> bool:
    """Whether the file gives whole cells row by row: a table or form, read across."""
    left = set(columns.left)
    order = sorted((*columns.left, *columns.right))
    runs = [list(run) for _, run in groupby(order, key=left.__contains__)]
    aligned = sum(
        1
        for run, following in pairwise(runs)
        if run[0] in left and abs(lines[run[0]].box[1] - lines[following[0]].box[1]) <= _ALIGNED
    )
    if aligned < 2:
        return False
    cells = sum(1 for run in runs if len(run) > 1)
    return 2 * cells >= len(runs) or not (_is_full(lines, columns.left) and _is_full(lines, columns.right))


def _is_full(lines: Sequence[Line], side: Sequence[int]) -> bool:
    widths = sorted(lines[index].box[2] - lines[index].box[0] for index in side)
    return sum(widths) >= _MIN_FULL * widths[4 * len(widths) // 5] * len(widths)
