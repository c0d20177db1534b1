"""The words of a ruled table in its cells."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from corpus.readers.pdf.tables.columns import entries_of
from corpus.readers.pdf.tables.grid import Cell, Grid, boxes_of, lines_of
from corpus.readers.pdf.tables.lattice import Lattice, Place
from corpus.readers.pdf.tables.words import Word, rows_of

_OVER_THE_EDGE = 2.0
_MOST_CROSSING = 0.4
_SPACE = 0.4
_STRIP = 9.0
_MAX_HEAD = 3


def ruled_grid(lattice: Lattice, words: list[Word], header: int = 1) -> Grid | None:
    """The words in the cells; None when one stands across a rule so that nobody knows where it belongs."""
    box = (lattice.xs[0], lattice.ys[0], lattice.xs[-1], lattice.ys[-1])
    held = _filled(words, lattice)
    if held is None:
        return None
    spread = _spread(held, lattice)
    rows = _numbers({place[0] for place in spread})
    columns = _numbers(_kept_columns(lattice, spread))
    cells = []
    for first, (last, inside) in sorted(spread.items()):
        cells.append(
            Cell(
                rows[first[0]],
                columns[first[1]],
                lines_of(inside),
                sum(1 for row in rows if first[0] <= row <= last[0]),
                sum(1 for column in columns if first[1] <= column <= last[1]),
                boxes_of(inside),
                max(len(entries_of(row, [])) for row in rows_of(inside)),
            )
        )
    return Grid(len(rows), len(columns), tuple(cells), _header(cells, header), box, is_ruled=True)


def _header(cells: list[Cell], header: int) -> int:
    """How many rows are the head: as many as a cell of the first row covers beside one that parts in two below."""
    first = [cell for cell in cells if cell.row == 0]
    if header == 1 and any(cell.columns > 1 for cell in first):
        return min(_MAX_HEAD, max(cell.rows for cell in first))
    return header


def _spread(held: dict[Place, list[Word]], lattice: Lattice) -> dict[Place, tuple[Place, list[Word]]]:
    """Cells with their last places. A cell beside several ruled rows with a line for each is as many cells."""
    spread: dict[Place, tuple[Place, list[Word]]] = {}
    for first, inside in held.items():
        last = lattice.ends[first]
        lines = rows_of(inside)
        at = [_index(line[0].middle, lattice.ys) for line in lines]
        if last[0] > first[0] + 1 and len(set(at)) == len(lines) >= 0.6 * (last[0] - first[0] + 1):
            for row, line in zip(at, lines, strict=True):
                if row is not None:
                    spread[row, first[1]] = ((row, last[1]), line)
        else:
            spread[first] = (last, inside)
    return spread


def _kept_columns(lattice: Lattice, spread: Mapping[Place, object]) -> set[int]:
    """Where cells begin, without strips between double rules and beside shades."""
    used = {place[1] for place in spread}
    starts = {first[1] for first in lattice.ends}
    return used | {n for n in starts if lattice.xs[n + 1] - lattice.xs[n] >= _STRIP}


def _filled(words: list[Word], lattice: Lattice) -> dict[Place, list[Word]] | None:
    """Each word in the cell in which it begins; what follows closely on one that crosses a rule goes with it.

    None where many cross, for then the rules part something else.
    """
    held: dict[Place, list[Word]] = defaultdict(list)
    lefts = Counter(round(word.box[0]) for word in words)
    crossing = 0
    running: Place | None = None
    last: Word | None = None
    for word in words:
        start, end = _ends(word, lattice)
        if start is None or end is None:
            return None
        usual = sum(lefts[round(word.box[0]) + step] for step in (-1, 0, 1)) > 1
        if running is not None and last is not None and _follows(word, last) and not usual:
            start = running
        elif start != end:
            crossing += 1
            running = start
        else:
            running = None
        held[start].append(word)
        last = word
    return held if crossing <= _MOST_CROSSING * len(words) else None


def _ends(word: Word, lattice: Lattice) -> tuple[Place | None, Place | None]:
    """The cells in which a word begins and ends; a little over an edge does not count."""
    left, _, right, _ = word.box
    middle = _cell_at((left + right) / 2, word.middle, lattice)
    inset = min(_OVER_THE_EDGE, (right - left) / 3)
    start = _cell_at(left + inset, word.middle, lattice) or middle
    end = _cell_at(right - inset, word.middle, lattice) or start
    return start, end


def _follows(word: Word, last: Word) -> bool:
    gap = word.box[0] - last.box[2]
    return (
        abs(word.middle - last.middle) < word.height / 2 and -0.1 * word.height < gap < _SPACE * word.height
    )


def _cell_at(x: float, y: float, lattice: Lattice) -> Place | None:
    row, column = _index(y, lattice.ys), _index(x, lattice.xs)
    return None if row is None or column is None else lattice.owner[row, column]


def _index(value: float, edges: tuple[float, ...]) -> int | None:
    for number in range(len(edges) - 1):
        if edges[number] <= value < edges[number + 1]:
            return number
    return None


def _numbers(values: set[int]) -> dict[int, int]:
    return {value: number for number, value in enumerate(sorted(values))}
