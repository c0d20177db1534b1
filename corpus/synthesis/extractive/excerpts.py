"""Cut sources to excerpts around their best candidates, for a prompt of limited size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from corpus.synthesis.extractive import table
from corpus.synthesis.extractive.candidates import Candidate
from corpus.synthesis.extractive.reading import Reading

if TYPE_CHECKING:
    from corpus.synthesis.compose import Material

GAP = "…"


def excerpts_within(
    material: Material, frames: Sequence[int], room: int, count: Callable[[str], int]
) -> dict[int, str]:
    """Excerpts by the index of their reading.

    Candidates are taken best first, equal texts once, each with its neighbours in the paragraph and the title above, as
    long as they fit into `room` tokens. `count` gives the tokens of a text, `frames` those around each source.
    """
    return _Cutting(material.readings, frames, room, count).cut(material.candidates)


class _Cutting:
    def __init__(
        self,
        readings: Sequence[Reading],
        frames: Sequence[int],
        room: int,
        count: Callable[[str], int],
    ) -> None:
        self._readings, self._frames, self._room, self._count = readings, frames, room, count
        self._units: dict[int, set[int]] = {}
        self._rows: dict[tuple[int, int], set[int]] = {}
        self._texts: set[str] = set()

    def cut(self, candidates: Sequence[Candidate]) -> dict[int, str]:
        for each in candidates:
            if each.text in self._texts:
                continue
            self._texts.add(each.text)
            if each.row is not None:
                self._take_row(each)
            elif not self._take(each, self._around(each)):
                self._take(each, {each.unit})
        return {n: self._written(n) for n in self._units}

    def _around(self, each: Candidate) -> set[int]:
        units = self._readings[each.reading].units
        near = {each.unit}
        for n in (each.unit - 1, each.unit + 1):
            if 0 <= n < len(units) and units[n].part == units[each.unit].part:
                near.add(n)
        first = min(near)
        if first and units[first - 1].kind == "title":
            near.add(first - 1)
        return near

    def _take(self, each: Candidate, wanted: set[int]) -> bool:
        units = self._readings[each.reading].units
        more = wanted - self._units.get(each.reading, set())
        return self._fits(each, sum(self._count(units[n].text) + 1 for n in more), more)

    def _take_row(self, each: Candidate) -> None:
        grid = self._readings[each.reading].table(each.unit)
        if grid is None or each.row is None:
            return
        rows = self._rows.get((each.reading, each.unit), set())
        lines = [] if rows else list(grid.head)
        cost = self._count(" | ".join([*lines, *grid.rows[each.row]])) + 4
        if each.row not in rows and self._fits(each, cost, {each.unit}):
            self._rows.setdefault((each.reading, each.unit), set()).add(each.row)

    def _fits(self, each: Candidate, cost: int, units: set[int]) -> bool:
        cost += 0 if each.reading in self._units else self._frames[each.reading]
        if cost > self._room:
            return False
        self._room -= cost
        self._units.setdefault(each.reading, set()).update(units)
        return True

    def _written(self, n: int) -> str:
        reading = self._readings[n]
        lines: list[str] = []
        last = -1
        for at in sorted(self._units[n]):
            unit = reading.units[at]
            grid = reading.table(at)
            text = table.write_table(grid, sorted(self._rows.get((n, at), ()))) if grid else unit.text
            gap = f"{GAP} " if at != last + 1 else ""
            same = lines and at == last + 1 and reading.units[last].part == unit.part
            if same:
                lines[-1] += f" {text}"
            else:
                lines.append(gap + (f"{unit.mark} {text}" if unit.kind == "item" else text))
            last = at
        return "\n".join(lines) + (f" {GAP}" if last != len(reading.units) - 1 else "")
