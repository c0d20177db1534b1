"""Tables with ruled cells: rules that cross, the cells between them, and the words in the cells."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from corpus.documents.block import Box
from corpus.readers.pdf.page_pictures import root_of
from corpus.readers.pdf.rules import Rule, Rules
from corpus.readers.pdf.tables.columns import entries_of
from corpus.readers.pdf.tables.grid import Cell, Grid, Word, boxes_of, lines_of, rows_of

_MAX_TOUCH_GAP = 3.0  # Maximum gap in points between rules that meet.
_MIN_COLUMN_WIDTH = 6.0  # Minimum column width in points; closer rules count as one, because no text fits between.
_MIN_ROW_HEIGHT = 4.0  # Minimum row height in points; closer rules count as one, because no text fits between.
_MAX_CELLS = 6000  # Maximum number of cells in a table; a page of small print has 3,000.
_MAX_RULES = 600  # Maximum number of rules per direction; a page with more is a drawing.


Place = tuple[int, int]  # Row and column.
Edge = tuple[float, float]  # First and last position of the rules that separate two columns or rows.


@dataclass(frozen=True, slots=True)
class Frame:
    """Horizontal and vertical rules that touch each other."""

    level: tuple[Rule, ...]
    upright: tuple[Rule, ...]

    @property
    def box(self) -> Box:
        """Return the box around all rules."""
        return (
            min([r.start for r in self.level] + [r.at for r in self.upright]),
            min([r.at for r in self.level] + [r.start for r in self.upright]),
            max([r.end for r in self.level] + [r.at for r in self.upright]),
            max([r.at for r in self.level] + [r.end for r in self.upright]),
        )


@dataclass(frozen=True, slots=True)
class Lattice:
    """A grid of ruled cells. `xs` and `ys` are the positions at which cells may start and end. `owner` maps each row
    and column position to the first position of its cell."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    owner: dict[Place, Place]
    ends: dict[Place, Place]  # Last position of each cell, keyed by its first position.


def frames_of(rules: Rules) -> list[Frame]:
    """Return groups of touching rules, each with at least two horizontal rules and one vertical rule."""
    if len(rules.level) > _MAX_RULES or len(rules.upright) > _MAX_RULES:
        return []  # the page is a drawing
    all_rules = [*rules.level, *rules.upright]
    parents = {index: index for index in range(len(all_rules))}
    count = len(rules.level)
    for i, level in enumerate(rules.level):
        for j, upright in enumerate(rules.upright, count):
            if (
                level.start - _MAX_TOUCH_GAP <= upright.at <= level.end + _MAX_TOUCH_GAP
                and upright.start - _MAX_TOUCH_GAP <= level.at <= upright.end + _MAX_TOUCH_GAP
            ):
                parents[root_of(parents, i)] = root_of(parents, j)
    groups: dict[int, tuple[list[Rule], list[Rule]]] = defaultdict(lambda: ([], []))
    for index, rule in enumerate(all_rules):
        groups[root_of(parents, index)][index >= count].append(rule)
    return [
        Frame(tuple(level), tuple(upright))
        for level, upright in groups.values()
        if len(level) >= 2 and len(upright) >= 1
    ]


def lattice_of(frame: Frame) -> Lattice | None:
    """Return the cells between the rules, or None if a cell is not a rectangle. Adjacent positions without a rule
    between them are merged, as in Nurminen's lattice method (2013, used by Tabula and Camelot)."""
    left, top, right, bottom = frame.box
    x_edges = _places([left, right, *(rule.at for rule in frame.upright)], _MIN_COLUMN_WIDTH)
    y_edges = _places([top, bottom, *(rule.at for rule in frame.level)], _MIN_ROW_HEIGHT)
    xs, ys = _middles(x_edges), _middles(y_edges)
    height, width = len(ys) - 1, len(xs) - 1
    if height < 1 or width < 1 or height * width > _MAX_CELLS:
        return None
    places = [(row, column) for row in range(height) for column in range(width)]
    parents = {place: place for place in places}
    for row, column in places:
        middle, centre = (ys[row] + ys[row + 1]) / 2, (xs[column] + xs[column + 1]) / 2
        if column + 1 < width and not _crosses(frame.upright, x_edges[column + 1], middle):
            _merge_sets(parents, (row, column), (row, column + 1))
        if row + 1 < height and not _crosses(frame.level, y_edges[row + 1], centre):
            _merge_sets(parents, (row, column), (row + 1, column))
    members: dict[Place, list[Place]] = defaultdict(list)
    for place in places:
        members[root_of(parents, place)].append(place)
    owner, ends = {}, {}
    for group in members.values():
        first, last = min(group), max(group)
        if len(group) != (last[0] - first[0] + 1) * (last[1] - first[1] + 1):
            return None
        if min(column for _, column in group) != first[1]:
            return None
        ends[first] = last
        owner.update(dict.fromkeys(group, first))
    return Lattice(xs, ys, owner, ends)


def _places(values: Iterable[float], apart: float) -> list[Edge]:
    places: list[list[float]] = []
    for value in sorted(values):
        if places and value - places[-1][-1] <= apart and value - places[-1][0] <= 2 * apart:
            places[-1].append(value)
        else:
            places.append([value])
    return [(group[0], group[-1]) for group in places]


def _crosses(rules: tuple[Rule, ...], at: Edge, other: float) -> bool:
    return any(at[0] - 1 <= rule.at <= at[1] + 1 and rule.start - 1 <= other <= rule.end + 1 for rule in rules)


def _middles(edges: list[Edge]) -> tuple[float, ...]:
    return tuple((first + last) / 2 for first, last in edges)


def _merge_sets(parents: dict[Place, Place], place: Place, second: tuple[int, int]) -> None:
    a, b = root_of(parents, place), root_of(parents, second)
    parents[max(a, b)] = min(a, b)


_MAX_OVERHANG = 2.0  # Maximum distance in points by which a word may extend over the edge of its cell.
_MAX_CROSSING = 0.4  # Maximum fraction of words that cross a rule; with more, the rules are not those of a table.
_MAX_SPACE = 0.4  # Maximum gap, in word heights, between words of one phrase; a space is 0.25 to 0.35.
_MIN_STRIP_WIDTH = 9.0  # Minimum width of an empty column in points; narrower ones are the space between double rules.
_MAX_HEAD_ROWS = 3  # Maximum number of rows in a header: group titles, titles and units; a taller cell is not a header.


def ruled_grid(lattice: Lattice, words: list[Word], header: int = 1) -> Grid | None:
    """Return the grid of the words in the cells, or None if it is unknown which cells the words belong to."""
    box = (lattice.xs[0], lattice.ys[0], lattice.xs[-1], lattice.ys[-1])
    cells_by_place = _words_by_cell(words, lattice)
    if cells_by_place is None:
        return None
    rows = _numbers({place[0] for place in cells_by_place})
    columns = _numbers(_used_columns(lattice, cells_by_place))
    cells = []
    for first, inside in sorted(cells_by_place.items()):
        last = lattice.ends[first]
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
    """Return the number of header rows: the height of a first-row cell next to one that is split below."""
    first = [cell for cell in cells if cell.row == 0]
    if header == 1 and any(cell.columns > 1 for cell in first):
        return min(_MAX_HEAD_ROWS, max(cell.rows for cell in first))
    return header


def _used_columns(lattice: Lattice, cells_by_place: Mapping[Place, object]) -> set[int]:
    """Return the columns in which cells start, without the strips between double rules and next to shading."""
    occupied = {place[1] for place in cells_by_place}
    starts = {first[1] for first in lattice.ends}
    return occupied | {n for n in starts if lattice.xs[n + 1] - lattice.xs[n] >= _MIN_STRIP_WIDTH}


def _words_by_cell(words: list[Word], lattice: Lattice) -> dict[Place, list[Word]] | None:
    """Return the words of each cell, assigned by their start. Words that closely follow a word that crosses a rule are
    assigned to its cell. Return None if many words cross rules or a word is outside all cells."""
    words_of_cell: dict[Place, list[Word]] = defaultdict(list)
    lefts = Counter(round(word.box[0]) for word in words)
    crossing_count = 0
    running_cell: Place | None = None
    last: Word | None = None
    for word in words:
        start, end = _ends(word, lattice)
        if start is None or end is None:
            return None
        is_column_start = sum(lefts[round(word.box[0]) + step] for step in (-1, 0, 1)) > 1
        if running_cell is not None and last is not None and _follows(word, last) and not is_column_start:
            start = running_cell
        elif start != end:
            crossing_count += 1
            running_cell = start
        else:
            running_cell = None
        words_of_cell[start].append(word)
        last = word
    return words_of_cell if crossing_count <= _MAX_CROSSING * len(words) else None


def _ends(word: Word, lattice: Lattice) -> tuple[Place | None, Place | None]:
    """Return the cells in which a word starts and ends; an overhang of up to _MAX_OVERHANG is ignored."""
    left, _, right, _ = word.box
    middle = _cell_at((left + right) / 2, word.middle, lattice)
    inset = min(_MAX_OVERHANG, (right - left) / 3)
    start = _cell_at(left + inset, word.middle, lattice) or middle
    end = _cell_at(right - inset, word.middle, lattice) or start
    return start, end


def _follows(word: Word, last: Word) -> bool:
    gap = word.box[0] - last.box[2]
    return abs(word.middle - last.middle) < word.height / 2 and -0.1 * word.height < gap < _MAX_SPACE * word.height


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
