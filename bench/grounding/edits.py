"""True sentences that one changed value makes false: a digit, a date, a number word, a unit or a name.

This file was written and fixed before the method that it measures. An edit is made only if the new value occurs nowhere
in the source, because otherwise a comparison of values could not detect the edit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from random import Random
from typing import Literal, TypeAlias

from bench.grounding.edit_words import MONTHS, NAMES, NUMBERS, UNITS

Language = Literal["en", "de"]
Kind = Literal["digit", "date", "word", "unit", "name"]
KINDS: tuple[Kind, ...] = ("digit", "date", "word", "unit", "name")

_NUMBER = re.compile(r"\d+(?:[.,\u00a0]\d+)*")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_MEASURE = re.compile(rf"({_NUMBER.pattern})[ \u00a0-]?([^\W\d_]+²?|°[CF])(?!\w)")
_WITHIN = re.compile(r"[\w,;)] $")
"""Pattern for the text before a word that is not capitalised merely because of its position: it has no full stop, colon
or quotation mark."""
_NUMERIC_DATE = re.compile(r"\b(\d{1,2})[./]\d{1,2}[./]\d{4}\b|\b\d{4}-\d{2}-(\d{2})\b")

_DAYS_AND_WORDS = (
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday Montag Dienstag Mittwoch Donnerstag Freitag Samstag "
    "Sonntag The This That These Those"
)
_NOT_NAMES = frozenset(_DAYS_AND_WORDS.split())
_SAME_UNIT = frozenset({"Quadratkilometer", "km²"})
_SPELLED = {word: str(at) for words in NUMBERS.values() for at, word in enumerate(words, 2)}


@dataclass(frozen=True, slots=True)
class Edit:
    """A sentence with one changed value: the old and the new text. The text of a unit includes its number, and the text
    of a part of a date includes the adjacent part."""

    kind: Kind
    text: str
    was: str
    now: str


Candidates: TypeAlias = Iterator[tuple[int, int, int, int, str]]
"""Position of the value (start, end), position of the change (start, end), and the replacement."""


def edits(
    sentence: str, source: str, language: Language, random: Random, names: Collection[str] | None = None
) -> list[Edit]:
    """Return at most one edit of each kind, at a random position. Skip a kind if the sentence has no such value.

    `names` are the words that may count as names. None means any capitalised word within the sentence, which is correct
    only for English.
    """
    found = []
    for kind in KINDS:
        made = [
            _edit(kind, sentence, *one)
            for one in _CANDIDATES[kind](sentence, language, random)
            if kind != "name" or names is None or sentence[one[2] : one[3]] in names
        ]
        if fit := [edit for edit in made if not _stands(edit, source)]:
            found.append(random.choice(fit))
    return found


def _digits(sentence: str, language: Language, random: Random) -> Candidates:
    """Replace one digit of a number with a different digit other than zero."""
    for match in _NUMBER.finditer(sentence):
        at = random.choice([at for at in range(*match.span()) if sentence[at].isdigit()])
        other = random.choice([digit for digit in "123456789" if digit != sentence[at]])
        yield *match.span(), at, at + 1, other


def _dates(sentence: str, language: Language, random: Random) -> Candidates:
    """Change the month or the day of a date in words, or the day of a date in digits. Skip a month without a day,
    because "may" is also a verb."""
    months = "|".join(MONTHS[language])
    for match in re.finditer(rf"\b(?:(\d{{1,2}})\.? )?({months})\b(?:,? (\d{{1,2}})\b)?(?:,? (\d{{4}})\b)?", sentence):
        if not (match[1] or match[3] or match[4]):
            continue
        month = random.choice([month for month in MONTHS[language] if month != match[2]])
        yield *match.span(), *match.span(2), month
        for day in (1, 3):
            if match[day]:
                yield *match.span(), *match.span(day), _other_day(match[day], random)
    for match in _NUMERIC_DATE.finditer(sentence):
        day = 1 if match[1] else 2
        yield *match.span(), *match.span(day), _other_day(match[day], random)


def _other_day(day: str, random: Random) -> str:
    other = random.choice([one for one in range(1, 29) if one != int(day)])
    return str(other).zfill(len(day)) if day.startswith("0") else str(other)


def _number_words(sentence: str, language: Language, random: Random) -> Candidates:
    for match in _WORD.finditer(sentence):
        if match[0] in NUMBERS[language]:
            other = random.choice([word for word in NUMBERS[language] if word != match[0]])
            yield *match.span(), *match.span(), other


def _units(sentence: str, language: Language, random: Random) -> Candidates:
    for match in _MEASURE.finditer(sentence):
        groups = [group[language] for group in UNITS if match[2] in group[language]]
        if others := [
            unit for group in groups for unit in group if unit != match[2] and not {unit, match[2]} <= _SAME_UNIT
        ]:
            yield *match.span(), *match.span(2), random.choice(others)


def _names(sentence: str, language: Language, random: Random) -> Candidates:
    for match in _WORD.finditer(sentence):
        word = re.sub(r"['’]s$", "", match[0])
        span = (match.start(), match.start() + len(word))
        if _may_be_a_name(word, language) and _WITHIN.search(sentence[: match.start()]):
            yield *span, *span, random.choice(NAMES)


def _may_be_a_name(word: str, language: Language) -> bool:
    return len(word) >= 3 and word[0].isupper() and word not in _NOT_NAMES and word not in MONTHS[language]


def _edit(kind: Kind, sentence: str, start: int, end: int, first: int, last: int, now: str) -> Edit:
    changed = sentence[start:first] + now + sentence[last:end]
    return Edit(kind, sentence[:start] + changed + sentence[end:], sentence[start:end], changed)


def _stands(edit: Edit, source: str) -> bool:
    """Return whether the source contains the new value, as a number in digits or in words."""
    if edit.kind in ("digit", "word"):
        return _number(edit.now) in {_number(one) for one in (*_NUMBER.findall(source), *_WORD.findall(source))}
    return re.search(rf"(?<!\w){re.escape(edit.now.lower())}(?!\w)", source.lower()) is not None


def _number(text: str) -> str:
    plain = re.sub(r"[.,\u00a0]", "", text.lower())
    return _SPELLED.get(plain, plain)


_CANDIDATES: dict[Kind, Callable[[str, Language, Random], Candidates]] = {
    "digit": _digits,
    "date": _dates,
    "word": _number_words,
    "unit": _units,
    "name": _names,
}
