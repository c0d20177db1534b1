"""Expand a unit to the context that a reader needs to understand it: its lead-in, list, title or code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from corpus.synthesis.extractive.lexicon import ANNOUNCING, FIRST_OF_SEVERAL, LEADING, LEANING
from corpus.synthesis.extractive.reading import Unit
from corpus.text.analysis import function_words, terms

MAX_SENTENCES_BACK = 2
"""Maximum number of preceding sentences that a sentence may depend on."""
MAX_REPLY = 400
"""Maximum number of characters in the reply to a question in the text."""
MAX_RUN_IN = 6
"""Maximum number of words in a run-in heading."""
_NUMBER = re.compile(r"\d+")
_FIELD = re.compile(r"\W*[^\W\d_][^:.]{0,30}:\W+\S")
"""Pattern for a field: a label and its value."""


@dataclass(frozen=True, slots=True)
class Lists:
    """Settings for quoting lists, with at most `longest` characters per list. `whole` is True if the question asks for
    a list, so that all definitions are quoted. `steps` is True if it asks for steps, so that a list belongs to the
    sentence above it."""

    longest: int
    whole: bool = False
    steps: bool = False


def with_needed(units: Sequence[Unit], at: int, lists: Lists) -> set[int]:
    """Return the indices of the unit and its context: the sentences that it depends on, its list, the list or sentence
    that it introduces, and its title."""
    unit = units[at]
    wanted = {at}
    if unit.kind == "item" and (lists.whole or not unit.defines):
        wanted |= _list_around(units, at, lists.longest)
        wanted |= _recorded(units, min(wanted), max(wanted))
    elif unit.kind == "text":
        wanted |= {*_leaned_on(units, at), *reply_to(units, at)}
    wanted |= _led_to(units, max(wanted), lists)
    wanted |= {n + 1 for n in wanted if leads_to_code(units, n)}
    if unit.kind == "code" and at and units[at - 1].kind in ("text", "item"):
        wanted.add(at - 1)
    return wanted | _above(units, min(wanted))


def reply_to(units: Sequence[Unit], at: int) -> tuple[int, ...]:
    """Return the indices of the sentences that answer a question in the text. They follow it in its paragraph, up to
    the next question, or are in the next paragraph if the question is alone. A run-in heading, such as "Error 17: no
    disk.", is treated like a question. The result is empty for other units."""
    if units[at].kind != "text" or at + 1 == len(units):
        return ()
    if not units[at].text.endswith("?") and not _is_run_in(units, at):
        return ()
    part, size, replies = units[at + 1].part, 0, []
    if part != units[at].part and not _is_alone(units, at):
        return ()
    for n in range(at + 1, len(units)):
        size += len(units[n].text)
        if units[n].part != part or units[n].kind != "text" or units[n].text.endswith("?") or size > MAX_REPLY:
            break
        replies.append(n)
    return tuple(replies)


def _is_run_in(units: Sequence[Unit], at: int) -> bool:
    """Return whether a unit is a short label or name that begins a paragraph of several sentences."""
    text = units[at].text
    if not _is_alone(units, at) or units[at + 1].part != units[at].part or len(text.split()) > MAX_RUN_IN:
        return False
    return text.endswith(".") and (":" in text or not function_words(tuple(terms(text, None))))


def leads_to_code(units: Sequence[Unit], at: int) -> bool:
    """Return whether the unit is a step or a lead-in with code right after it."""
    if at + 1 >= len(units) or units[at + 1].kind != "code":
        return False
    return units[at].kind == "item" or (units[at].kind == "text" and bool(LEADING.search(units[at].text)))


def leads_to_list(units: Sequence[Unit], at: int, *, steps: bool = True) -> bool:
    """Return whether a list right after this sentence belongs to it. It does if the sentence introduces it, or, with
    `steps`, if the sentence is a separate paragraph or precedes step 1."""
    if at + 1 >= len(units) or units[at].kind != "text" or units[at + 1].kind != "item":
        return False
    if LEADING.search(units[at].text) or ANNOUNCING.search(units[at].text):
        return True
    return steps and (_is_alone(units, at) or units[at + 1].mark == "1.")


def _is_alone(units: Sequence[Unit], at: int) -> bool:
    """Return whether a sentence begins its paragraph."""
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
    """Return the list around the item, including its lead-in, limited to `longest` characters."""
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
    """Return the paragraph below fields at the start of a block, such as a date, because the fields describe it."""
    begins = all(unit.kind == "title" for unit in units[:first])
    below = last + 1
    if not begins or not all(_FIELD.match(unit.text) for unit in units[first:below]):
        return set()
    if below == len(units) or units[below].kind != "text":
        return set()
    return set(range(below, _end_of_part(units, below) + 1))


def _neighbour(units: Sequence[Unit], at: int, step: int) -> int | None:
    """Return the index of the next item of the list in one direction. A note or code may separate consecutive steps."""
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
    """Return the list or the sentence that the unit introduces."""
    if _goes_on_to_list(units, at):
        return {at + 1} | _list_around(units, at + 2, lists.longest)
    if leads_to_list(units, at, steps=lists.steps):
        return _list_around(units, at + 1, lists.longest)
    end = _end_of_part(units, at)
    if end > at and ANNOUNCING.search(units[at].text) and FIRST_OF_SEVERAL.match(units[at + 1].text):
        return _as_far_as(units, at + 1, end, lists.longest)
    if lists.steps and end > at and units[at].kind == "text" and leads_to_list(units, end):
        return set(range(at + 1, end + 1)) | _list_around(units, end + 1, lists.longest)
    leads = at + 1 < len(units) and LEADING.search(units[at].text)
    return {at + 1} if leads and units[at + 1].kind == "text" else set()


def _as_far_as(units: Sequence[Unit], first: int, last: int, longest: int) -> set[int]:
    """Return the units from `first` towards `last` whose total length is at most `longest` characters. The first unit
    is always included."""
    taken = {first}
    size = len(units[first].text)
    for n in range(first + 1, last + 1):
        size += len(units[n].text)
        if size > longest:
            break
        taken.add(n)
    return taken


def _end_of_part(units: Sequence[Unit], at: int) -> int:
    """Return the index of the last sentence in the paragraph."""
    while at + 1 < len(units) and units[at + 1].part == units[at].part:
        at += 1
    return at


def _goes_on_to_list(units: Sequence[Unit], at: int) -> bool:
    """Return whether the next sentence refers to this one and introduces a list: "These include:"."""
    if at + 2 >= len(units) or units[at + 1].part != units[at].part:
        return False
    return bool(LEANING.match(units[at + 1].text)) and leads_to_list(units, at + 1, steps=False)


def _above(units: Sequence[Unit], at: int) -> set[int]:
    """Return the index of the title above the paragraph or table."""
    first = at
    while first and units[first - 1].part == units[at].part:
        first -= 1
    return {first - 1} if first and units[first - 1].kind == "title" else set()
