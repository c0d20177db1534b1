"""What has to be quoted along with a unit for it to be understood."""

from __future__ import annotations

from collections.abc import Sequence

from corpus.synthesis.composing.reading import Unit
from corpus.synthesis.composing.words import LEANING

MOST_BACK = 2
LONGEST_LIST = 900
"""Letters of a list that is quoted whole; of a longer one the items around."""


def with_needed(units: Sequence[Unit], at: int) -> set[int]:
    """The unit with those it needs: what it leans on, the list that it stands in or leads to, the title above."""
    unit = units[at]
    wanted = {at}
    if unit.kind == "item":
        wanted |= _list_around(units, at)
    elif unit.kind == "text":
        wanted |= _leaned_on(units, at)
    wanted |= _led_to(units, max(wanted))
    return wanted | _above(units, min(wanted))


def _leaned_on(units: Sequence[Unit], at: int) -> set[int]:
    first = at
    while at - first < MOST_BACK and first and _leans(units, first):
        first -= 1
    return set(range(first, at))


def _leans(units: Sequence[Unit], at: int) -> bool:
    before = units[at - 1]
    if before.kind != "text":
        return False
    together = before.part == units[at].part
    return before.text.endswith("?") or (together and bool(LEANING.match(units[at].text)))


def _list_around(units: Sequence[Unit], at: int) -> set[int]:
    """The whole list, or as much of it around the item as is short enough, and the words that lead to it."""
    first = last = at
    while first and units[first - 1].kind == "item":
        first -= 1
    while last + 1 < len(units) and units[last + 1].kind == "item":
        last += 1
    size = sum(len(one.text) for one in units[first : last + 1])
    while size > LONGEST_LIST and last > first:
        if last - at >= at - first:
            size -= len(units[last].text)
            last -= 1
        else:
            size -= len(units[first].text)
            first += 1
    leads = {first - 1} if first and units[first - 1].text.endswith(":") else set()
    return set(range(first, last + 1)) | leads


def _led_to(units: Sequence[Unit], at: int) -> set[int]:
    """What follows a colon."""
    if not units[at].text.endswith(":") or at + 1 == len(units):
        return set()
    if units[at + 1].kind == "item":
        return _list_around(units, at + 1)
    return {at + 1} if units[at + 1].kind == "text" else set()


def _above(units: Sequence[Unit], at: int) -> set[int]:
    """The title of the paragraph or the table."""
    first = at
    while first and units[first - 1].part == units[at].part:
        first -= 1
    return {first - 1} if first and units[first - 1].kind == "title" else set()
