"""The part of a source that speaks to the question: its best sentences with what they need, its tables whole or in the
rows that fit."""

from __future__ import annotations

from dataclasses import dataclass, field

from corpus.synthesis.composing import table
from corpus.synthesis.composing.neighbours import Lists, leads_to_list, with_needed
from corpus.synthesis.composing.parts import is_ended
from corpus.synthesis.composing.reading import Reading
from corpus.synthesis.composing.repeats import Said
from corpus.synthesis.composing.scoring import Scored
from corpus.synthesis.composing.table_rows import A_TABLE, rows_shown
from corpus.synthesis.composing.words import LEADING

GOOD = 0.6
"""Share of the best score of a source from which a further sentence of it is quoted."""
LEAST = 500
"""Letters that the best sentence may take together with what it needs, also where there is less room."""
NEAR = 0.6
"""Share of the score of a part of a sentence from which a whole one is quoted in its place."""
MOST_LISTS = 3
"""Lists of one source, where a list is asked for."""
LITTLE = 200
"""Letters of a passage to which another paragraph is added."""


@dataclass(frozen=True, slots=True)
class Passage:
    """The units that are quoted, in their order, and of tables the rows."""

    reading: Reading
    units: tuple[int, ...]
    rows: dict[int, tuple[int, ...]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return " ".join(self.reading.units[n].text for n in self.units)


@dataclass(frozen=True, slots=True)
class Room:
    """Letters of a passage, and what of a list goes into it."""

    letters: int
    lists: Lists


def passage(
    scored: Scored, space: Room, said: Said, *, fill: bool, fragments: bool = False
) -> Passage | None:
    """At most about the letters that there is `space` for, but at least one unit, with nothing that was said; None
    where nothing is left. With `fill`, what stands around the best sentence takes what room is left. A
    source without a whole statement gives nothing, unless `fragments` are better than that."""
    room = space.letters
    choosing = _Choosing(scored, space, said)
    choosing.take_best(fragments=fragments)
    if not choosing.chosen:
        return None
    choosing.take_lists()
    choosing.grow(room if fill else 2 * room // 3, further=fill)
    choosing.take_missing()
    choosing.grow(room, further=fill)
    choosing.trim()
    if not fragments and choosing.leads_nowhere:
        return None
    units = tuple(sorted(choosing.chosen))
    rows = {n: choosing.rows[n] for n in units if n in choosing.rows}
    return Passage(scored.reading, units, rows)


class _Choosing:
    def __init__(self, scored: Scored, space: Room, said: Said) -> None:
        self._scored, self._room, self._space = scored, space.letters, space
        self._units = scored.reading.units
        self._repeated = {
            n for n, unit in enumerate(self._units) if unit.kind != "title" and said.has(unit.text)
        }
        self._repeated |= self._repeats_itself()
        self.rows = {n: self._rows_of(n) for n, unit in enumerate(self._units) if unit.kind == "table"}
        self.chosen: set[int] = set()
        self._best = -1
        self._order: list[int] = []

    def take_best(self, *, fragments: bool) -> None:
        """The best unit with its neighbours. What is no statement by itself comes last, and only where `fragments` are
        better than nothing."""
        scores, reading = self._scored.units, self._scored.reading
        open_ones = [
            n for n, one in enumerate(self._units) if one.kind != "title" and n not in self._repeated
        ]
        whole = [n for n in open_ones if reading.is_statement(n)]
        best = max((scores[n] for n in open_ones), default=0.0)
        if any(scores[n] >= NEAR * best for n in whole):
            open_ones = whole
        elif not fragments:
            return
        self._order = sorted(open_ones, key=lambda n: (-scores[n], n))
        if self._order:
            self._take(self._order[0])

    def take_lists(self) -> None:
        """Where a list is asked for, the other lists of the source that are as good."""
        if not self._space.lists.whole:
            return
        scores, taken = self._scored.units, 1
        for n in self._order:
            if taken == MOST_LISTS or scores[n] < GOOD * scores[self._best]:
                return
            if n not in self.chosen and self._is_listed(n) and self._speaks(n):
                self._take(n)
                taken += 1

    def _speaks(self, n: int) -> bool:
        """Whether it has a word of the question itself; where not even the best has one, headings say what all is."""
        held = self._scored.held
        return bool(held[n]) or not held[self._best]

    def _is_listed(self, n: int) -> bool:
        return self._units[n].kind == "item" or leads_to_list(self._units, n)

    def take_missing(self) -> None:
        """The best unit that holds words of the question which the chosen ones lack."""
        scores, held = self._scored.units, self._scored.held
        known = frozenset().union(*(held[n] for n in self.chosen))
        for n in self._order:
            if scores[n] < GOOD * scores[self._best]:
                return
            if n not in self.chosen and held[n] - known:
                self._take(n)
                return

    def grow(self, room: int, *, further: bool) -> None:
        """The rest of the best sentence's paragraph while it fits, first what comes after it; others where
        there is little, or `further` is wished."""
        for step in (1, -1):
            self._extend(step, room, within=self._units[self._best].part)
        for step in (1, -1):
            self._extend(step, room if further else min(room, LITTLE), within=None)

    def _extend(self, step: int, room: int, within: int | None) -> None:
        at = self._best + step
        while 0 <= at < len(self._units) and self._goes_on(at):
            if within not in (None, self._units[at].part):
                return
            if at not in self.chosen and (at in self._repeated or not self._fits(self._with(at), room)):
                return
            self.chosen |= self._with(at)
            at += step

    def _goes_on(self, at: int) -> bool:
        """Whether a unit says more of the same: a sentence beside a sentence, an item beside an item."""
        unit, best = self._units[at], self._units[self._best]
        if unit.kind != best.kind or unit.kind not in ("text", "item") or self._scored.reading.is_broken(at):
            return False
        if unit.kind == "item":
            return self._space.lists.whole or not unit.defines
        return is_ended(unit.text) or not is_ended(best.text)

    def trim(self) -> None:
        """Without a last unit that only leads on to what is not quoted."""
        while len(self.chosen) > 1:
            last = max(self.chosen)
            if last == self._best or not self._leads_on(last):
                return
            self.chosen.discard(last)

    @property
    def leads_nowhere(self) -> bool:
        """Whether what is chosen only leads to what is not quoted."""
        return self._leads_on(max(self.chosen))

    def _leads_on(self, at: int) -> bool:
        unit = self._units[at]
        leads = unit.text.endswith("?") or bool(LEADING.search(unit.text))
        return unit.kind == "title" or (unit.kind == "text" and leads)

    def _with(self, at: int) -> set[int]:
        """The unit; of a list all of it, for half a list is none."""
        if self._units[at].kind == "text":
            return {at}
        return self._needed(at)

    def _needed(self, at: int) -> set[int]:
        return with_needed(self._units, at, self._space.lists) - self._repeated

    def _take(self, n: int) -> None:
        wanted = self._needed(n)
        room = self._room_for(wanted)
        if self.chosen and not self._fits(wanted, room):
            wanted = {n} | (wanted & {n - 1} if n and self._units[n - 1].text.endswith(":") else set())
        if self.chosen and (not self._fits(wanted, room) or self._leads_on(max(wanted))):
            return
        if not self.chosen:
            self._best = n
            wanted = self._cut(wanted, n)
        self.chosen |= wanted

    def _cut(self, wanted: set[int], n: int) -> set[int]:
        """Of the first unit's neighbours those that fit, the nearest first."""
        kept = {n}
        room = max(self._room_for(wanted), A_TABLE if self._units[n].kind == "table" else LEAST)
        for one in sorted(wanted - {n}, key=lambda one: (abs(one - n), one)):
            if self._length(one) and self._size(kept | {one}) > room:
                break
            kept.add(one)
        return kept

    def _room_for(self, wanted: set[int]) -> int:
        """A list is kept whole where the answer has room for it, also beyond what a passage gets."""
        listed = any(self._units[n].kind == "item" for n in wanted)
        return max(self._room, self._space.lists.longest) if listed else self._room

    def _fits(self, more: set[int], room: int) -> bool:
        return self._size(self.chosen | more) <= room

    def _size(self, units: set[int]) -> int:
        return sum(self._length(n) for n in units)

    def _length(self, n: int) -> int:
        """A title is no reason to leave anything out."""
        unit = self._units[n]
        held = self._scored.reading.parts[unit.part].table
        if held:
            return table.letters(held, self.rows[n])
        return 0 if unit.kind == "title" else len(unit.text)

    def _rows_of(self, n: int) -> tuple[int, ...]:
        held = self._scored.reading.parts[self._units[n].part].table
        return rows_shown(held, self._scored.rows[n], self._room) if held else ()

    def _repeats_itself(self) -> set[int]:
        own, found = Said(), set()
        for n, unit in enumerate(self._units):
            if unit.kind != "title" and own.has(unit.text):
                found.add(n)
            own.add(unit.text)
        return found
