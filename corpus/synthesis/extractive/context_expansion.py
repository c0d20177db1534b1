"""What has to be quoted along with a unit for it to be understood."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.synthesis.extractive.lexicon import LEADING, LEANING
from corpus.synthesis.extractive.reading import Unit

MAX_SENTENCES_BACK = 2
_NUMBER = re.compile(r"\d+")
_FIELD = re.compile(r"\W*[^\W\d_][^:.]{0,30}:\W+\S")
"""A name and its value."""


@dataclass(frozen=True, slots=True)
class Lists:
    """How long a list may be in letters; whether a list is asked for, so that of definitions not only the one that
    answers is quoted; whether steps are, so that a list belongs to the sentence that it stands below."""

    longest: int
    whole: bool = False
    steps: bool = False


def with_needed(units: Sequence[Unit], at: int, lists: Lists) -> set[int]:
    """The unit with those it needs: what it leans on, the list that it stands in or leads to, the title above."""
    unit = units[at]
    wanted = {at}
    if unit.kind == "item" and (lists.whole or not unit.defines):
        wanted |= _list_around(units, at, lists.longest)
        wanted |= _recorded(units, min(wanted), max(wanted))
    elif unit.kind == "text":
        wanted |= _leaned_on(units, at)
    wanted |= _led_to(units, max(wanted), lists)
    wanted |= {n + 1 for n in wanted if leads_to_code(units, n)}
    if unit.kind == "code" and at and units[at - 1].kind in ("text", "item"):
        wanted.add(at - 1)
    return wanted | _above(units, min(wanted))


def leads_to_code(units: Sequence[Unit], at: int) -> bool:
    """Whether code follows that a step or a sentence ends with."""
    if at + 1 >= len(units) or units[at + 1].kind != "code":
        return False
    return units[at].kind == "item" or (units[at].kind == "text" and bool(LEADING.search(units[at].text)))


def leads_to_list(units: Sequence[Unit], at: int, *, steps: bool = True) -> bool:
    """Whether a list follows that belongs to this sentence: it says so; with `steps`, also where they stand right below
    it, or any list below a paragraph that is nothing else."""
    if at + 1 >= len(units) or units[at].kind != "text" or units[at + 1].kind != "item":
        return False
    if LEADING.search(units[at].text):
        return True
    return steps and (_is_alone(units, at) or units[at + 1].mark == "1.")


def _is_alone(units: Sequence[Unit], at: int) -> bool:
    """Whether a sentence is all of its paragraph."""
    return at == 0 or units[at - 1].part != units[at].part


def _leaned_on(units: Sequence[Unit], at: int) -> set[int]:
    first = at
    while at - first < MAX_SENTENCES_BACK and first and _leans(units, first):
        first -= 1
    return set(range(first, at))


def _leans(units: Sequence[Unit], at: int) -> bool:
    before = units[at - 1]
    if before.kind != "text":
        return False
    together = before.part == units[at].part
    return before.text.endswith("?") or (together and bool(LEANING.match(units[at].text)))


def _list_around(units: Sequence[Unit], at: int, longest: int) -> set[int]:
    """The whole list, or as much of it around the item as is short enough, and the words that lead to it."""
    first = last = at
    while (before := _neighbour(units, first, -1)) is not None:
        first = before
    while (after := _neighbour(units, last, 1)) is not None:
        last = after
    size = sum(len(unit.text) for unit in units[first : last + 1])
    while size > longest and last > first:
        if last - at >= at - first:
            size -= len(units[last].text)
            last -= 1
        else:
            size -= len(units[first].text)
            first += 1
    leads = {first - 1} if first and leads_to_list(units, first - 1) else set()
    return set(range(first, last + 1)) | leads


def _recorded(units: Sequence[Unit], first: int, last: int) -> set[int]:
    """The paragraph below fields with which a record begins, such as its date: they tell of what it says."""
    begins = all(unit.kind == "title" for unit in units[:first])
    below = last + 1
    if not begins or not all(_FIELD.match(unit.text) for unit in units[first:below]):
        return set()
    if below == len(units) or units[below].kind != "text":
        return set()
    return set(range(below, _end_of_part(units, below) + 1))


def _neighbour(units: Sequence[Unit], at: int, step: int) -> int | None:
    """The next item of the same list in one direction; a note or code may stand between two steps that follow each
    other."""
    near = at + step
    if not 0 <= near < len(units):
        return None
    if units[near].kind == "item":
        return near
    far = near + step
    if units[near].kind not in ("text", "code") or not 0 <= far < len(units) or units[far].kind != "item":
        return None
    number, next_number = (_NUMBER.match(units[n].mark) for n in (at, far))
    return far if number and next_number and int(next_number[0]) - int(number[0]) == step else None


def _led_to(units: Sequence[Unit], at: int, lists: Lists) -> set[int]:
    """The list that follows, or what stands behind words that lead on."""
    if _goes_on_to_list(units, at):
        return {at + 1} | _list_around(units, at + 2, lists.longest)
    if leads_to_list(units, at, steps=lists.steps):
        return _list_around(units, at + 1, lists.longest)
    end = _end_of_part(units, at)
    if lists.steps and end > at and units[at].kind == "text" and leads_to_list(units, end):
        return set(range(at + 1, end + 1)) | _list_around(units, end + 1, lists.longest)
    leads = at + 1 < len(units) and LEADING.search(units[at].text)
    return {at + 1} if leads and units[at + 1].kind == "text" else set()


def _end_of_part(units: Sequence[Unit], at: int) -> int:
    """The last sentence of its paragraph."""
    while at + 1 < len(units) and units[at + 1].part == units[at].part:
        at += 1
    return at


def _goes_on_to_list(units: Sequence[Unit], at: int) -> bool:
    """Whether the next sentence leans on this one and leads to a list: "These include:"."""
    if at + 2 >= len(units) or units[at + 1].part != units[at].part:
        return False
    return bool(LEANING.match(units[at + 1].text)) and leads_to_list(units, at + 1, steps=False)


def _above(units: Sequence[Unit], at: int) -> set[int]:
    """The title of the paragraph or the table."""
    first = at
    while first and units[first - 1].part == units[at].part:
        first -= 1
    return {first - 1} if first and units[first - 1].kind == "title" else set()
