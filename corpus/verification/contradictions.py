"""Sources that say the same with another value: a hint for the reader, rather missed than wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice

from corpus.index.local import analysis
from corpus.verification.dates import dates
from corpus.verification.names import is_code
from corpus.verification.protocol import SourceText
from corpus.verification.quantities import Quantity, quantities
from corpus.verification.spans import sentence_spans
from corpus.verification.tokens import tokens
from corpus.verification.verify import primary
from corpus.verification.wording import content_words

_ALIKE = 0.7
"""The share of their words that two sentences have in common where they say the same."""
_FEWEST_WORDS = 3
_WORD = re.compile(r"[^\W\d_]+")
_MOST = 3
"""Hints."""
_SENTENCES = 60
"""Sentences with a value that are looked at in one source."""
_PAIRS = 5_000
_SHOWN = 160
"""Letters of a sentence that are shown."""


@dataclass(frozen=True)
class _Statement:
    """A sentence, what is left of it without its values, and these in order, each with what it measures."""

    number: int
    text: str
    rest: str
    language: str | None
    codes: frozenset[str]
    values: tuple[tuple[str, tuple[Fraction, ...]], ...]

    @cached_property
    def words(self) -> frozenset[str]:
        """Its content words, by their stems. Most sentences have nothing beside them whose words would matter."""
        return frozenset(analysis.terms(" ".join(content_words(self.rest, None)), self.language))


def contradictions(sources: Sequence[SourceText]) -> tuple[str, ...]:
    """At most three pairs of sentences, from two sources, that differ in one value alone, as text for a person.

    Values are compared as in a claim, so that 1500 m and 1.5 km agree. Sentences about different types, years or
    models differ in more than one value and are left alone.
    """
    said = [one for source in sorted(sources, key=lambda one: one.number) for one in _statements(source)]
    found: dict[tuple[int, int], str] = {}
    for one, other in islice(_pairs(said), _PAIRS):
        key = (one.number, other.number)
        if key not in found and len(found) < _MOST and _differ_in_one(one, other):
            found[key] = (
                f"Sources {one.number} and {other.number} differ: “{_cut(one.text)}” and “{_cut(other.text)}”"
            )
    return tuple(found.values())


def _statements(source: SourceText) -> Iterator[_Statement]:
    seen = 0
    for start, end in sentence_spans(source.text, source.language):
        if not any(letter.isdecimal() for letter in source.text[start:end]):
            continue
        statement = _statement(source, source.text[start:end])
        if statement.values and len(_WORD.findall(statement.rest)) >= _FEWEST_WORDS:
            seen += 1
            yield statement
        if seen >= _SENTENCES:
            return


def _statement(source: SourceText, text: str) -> _Statement:
    found_dates = list({one.start: one for one in dates(text)}.values())
    taken = {at for one in found_dates for at in range(one.start, one.end)}
    numbers = [
        one
        for one in quantities(text, primary(source.language))
        if not one.implied and one.start not in taken
    ]
    values = [
        (one.start, ("date", tuple(Fraction(part or 0) for part in one.ways[0]))) for one in found_dates
    ]
    values += [(one.start, _measured(one)) for one in numbers]
    taken |= {at for one in numbers for at in range(one.start, one.end)}
    rest = "".join(" " if at in taken else letter for at, letter in enumerate(text))
    split = tokens(rest)
    codes = frozenset(word for word in split.written if is_code(word))
    in_order = tuple(value for _, value in sorted(values))
    return _Statement(source.number, text, rest, source.language, codes, in_order)


def _measured(one: Quantity) -> tuple[str, tuple[Fraction, ...]]:
    if one.unit is None:
        return "", one.readings
    return one.unit.dimension, tuple(reading * one.unit.size for reading in one.readings)


def _pairs(said: Sequence[_Statement]) -> Iterator[tuple[_Statement, _Statement]]:
    """Of two sources each, with values of the same sorts about the same types."""
    alike: dict[tuple[object, ...], list[_Statement]] = {}
    for one in said:
        group = alike.setdefault((one.codes, *(kind for kind, _ in one.values)), [])
        yield from ((other, one) for other in group if other.number != one.number)
        group.append(one)


def _differ_in_one(one: _Statement, other: _Statement) -> bool:
    both = zip(one.values, other.values, strict=True)
    if sum(set(a).isdisjoint(b) if kind != "date" else a != b for (kind, a), (_, b) in both) != 1:
        return False
    common = len(one.words & other.words)
    return common >= max(_FEWEST_WORDS, _ALIKE * len(one.words | other.words))


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN else flat[:_SHOWN].rsplit(" ", 1)[0] + " …"
