"""Tables whose cells are all ruled: the rules that cross each other, and the cells between them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from corpus.blocks import Box
from corpus.readers.pdf.tables.rules import Rule, Rules

_TOUCH = 3.0
_NARROW = 6.0
_LOW = 4.0
"""Points; rules no further apart are one, for no text fits between."""

_MOST_CELLS = 6000
_MOST_RULES = 600

Place = tuple[int, int]
"""Row and column."""

Edge = tuple[float, float]
"""Where the rules that part two columns or rows begin and end to stand."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Rules that hang together."""

    level: tuple[Rule, ...]
    upright: tuple[Rule, ...]

    @property
    def box(self) -> Box:
        return (
            min([r.start for r in self.level] + [r.at for r in self.upright]),
            min([r.at for r in self.level] + [r.start for r in self.upright]),
            max([r.end for r in self.level] + [r.at for r in self.upright]),
            max([r.at for r in self.level] + [r.end for r in self.upright]),
        )


@dataclass(frozen=True, slots=True)
class Lattice:
    """`xs` and `ys` are where cells may begin and end; `owner` is the first place of the cell at each."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    owner: dict[Place, Place]
    ends: dict[Place, Place]
    """Row and column of the last place of each cell."""


def frames_of(rules: Rules) -> list[Frame]:
    """The groups of rules that touch, with at least two level ones and one upright."""
    if len(rules.level) > _MOST_RULES or len(rules.upright) > _MOST_RULES:
        return []  # a drawing
    everything = [*rules.level, *rules.upright]
    parents = list(range(len(everything)))
    count = len(rules.level)
    for i, level in enumerate(rules.level):
        for j, upright in enumerate(rules.upright, count):
            if (
                level.start - _TOUCH <= upright.at <= level.end + _TOUCH
                and upright.start - _TOUCH <= level.at <= upright.end + _TOUCH
            ):
                parents[_root(parents, i)] = _root(parents, j)
    groups: dict[int, tuple[list[Rule], list[Rule]]] = defaultdict(lambda: ([], []))
    for index, rule in enumerate(everything):
        groups[_root(parents, index)][index >= count].append(rule)
    return [
        Frame(tuple(level), tuple(upright))
        for level, upright in groups.values()
        if len(level) >= 2 and len(upright) >= 1
    ]


def lattice_of(frame: Frame) -> Lattice | None:
    """The cells between the rules; None when one is no rectangle."""
    left, top, right, bottom = frame.box
    x_edges = _places([left, right, *(rule.at for rule in frame.upright)], _NARROW)
    y_edges = _places([top, bottom, *(rule.at for rule in frame.level)], _LOW)
    xs, ys = _middles(x_edges), _middles(y_edges)
    height, width = len(ys) - 1, len(xs) - 1
    if height < 1 or width < 1 or height * width > _MOST_CELLS:
        return None
    places = [(row, column) for row in range(height) for column in range(width)]
    parents = {place: place for place in places}
    for row, column in places:
        middle, centre = (ys[row] + ys[row + 1]) / 2, (xs[column] + xs[column + 1]) / 2
        if column + 1 < width and not _crosses(frame.upright, x_edges[column + 1], middle):
            _unite(parents, (row, column), (row, column + 1))
        if row + 1 < height and not _crosses(frame.level, y_edges[row + 1], centre):
            _unite(parents, (row, column), (row + 1, column))
    members: dict[Place, list[Place]] = defaultdict(list)
    for place in places:
        members[_top(parents, place)].append(place)
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
    return any(
        at[0] - 1 <= rule.at <= at[1] + 1 and rule.start - 1 <= other <= rule.end + 1 for rule in rules
    )


def _middles(edges: list[Edge]) -> tuple[float, ...]:
    return tuple((first + last) / 2 for first, last in edges)


def _unite(parents: dict[Place, Place], one: Place, other: tuple[int, int]) -> None:
    a, b = _top(parents, one), _top(parents, other)
    parents[max(a, b)] = min(a, b)


def _top(parents: dict[Place, Place], place: tuple[int, int]) -> Place:
    while parents[place] != place:
        parents[place] = parents[parents[place]]
        place = parents[place]
    return place


def _root(parents: list[int], index: int) -> int:
    while parents[index] != index:
        parents[index] = parents[parents[index]]
        index = parents[index]
    return index
