"""Find the numbers, times, dates and names of a claim that occur in none of its sources."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import islice

from corpus.text.normalization import roman
from corpus.verification.dates_and_times import Date, Time, dates, times
from corpus.verification.names import (
    END,
    Row,
    Tokens,
    acronyms,
    begins_sentence,
    capitalised_share,
    designations,
    is_code,
    is_sure,
    may_name,
    rows,
    tokens,
)
from corpus.verification.quantities import Quantity, quantities, ratios
from corpus.verification.source_facts import SourceFacts

_MIN_WORDS = 3
"""Minimum number of words in a claim with numbers for it not to occur by chance in a text in another language."""
_MIN_SHARE = 0.5
"""Minimum fraction of a claim's words that its sources must contain for the claim to be assigned their language."""
_WORD = re.compile(r"[^\W\d_]{3}")


def language_of_values(claim: str, language: str | None, sources: Sequence[SourceFacts], share: float) -> str | None:
    """Return the language of a claim's numbers. This is the answer's `language`, except for a literal quotation, which
    has the language of its source: a German answer may quote "1,500" from an English table. If the answer is too short
    for language detection, the claim is assigned the language of its sources, provided that they contain at least half
    of its words (`share`)."""
    if language is None and share >= _MIN_SHARE:
        languages = {source.language for source in sources}
        return next(iter(languages)) if len(languages) == 1 else None
    others = [source for source in sources if source.language != language]
    if others and _may_be_quoted(claim):
        return next((source.language for source in others if source.holds_literally(claim)), language)
    return language


def _may_be_quoted(claim: str) -> bool:
    """Return whether a claim has words in addition to numbers. Numbers alone may have different meanings in two
    languages."""
    words = [word for word in claim.split() if any(map(str.isalnum, word))]
    return len(words) >= _MIN_WORDS and bool(_WORD.search(claim))


_MAX_ROWS = 100
"""Maximum number of names per claim that are looked up. A claim is normally one sentence."""

_MAX_BETWEEN = 2
"""Maximum number of function words between two names that may form one name: "Ming and Qing", "Grade von
Privilegien"."""


@dataclass(frozen=True, slots=True)
class AbsentName:
    """A name, or several consecutive names, that no source contains. `is_replaced` is True if a source has other words
    in its position; `is_first` is True if it may be capitalised only because it starts the sentence."""

    text: str
    start: int
    is_replaced: bool
    is_first: bool = False


def absent_names(
    claim: str, sources: Sequence[SourceFacts], language: str | None, covered: frozenset[int]
) -> list[AbsentName]:
    """Return the absent names in order. Capitalised words that may be common nouns count only if they are replaced."""
    split = tokens(claim)
    lacking = [
        (row, absent)
        for row in rows(split, covered)[:_MAX_ROWS]
        if (
            absent := [
                at for at in row if len(split.written[at]) > 1 and not _is_in_sources(split.written[at], sources)
            ]
        )
        and not _is_written_shorter(split, row, absent, sources)
    ]
    names, capitals = [], capitalised_share(split)
    for at, (row, absent) in enumerate(lacking):
        near = [other for other, _ in lacking[max(0, at - 1) : at + 2] if other is not row]
        replaced = any(_is_replaced(split, part, row, sources) for part in _parts(split, row, absent, near))
        if replaced or any(is_sure(split, word, language, capitals) for word in absent):
            names.append(_name(claim, split, row, absent, replaced))
    return names


def _name(claim: str, split: Tokens, row: Row, absent: list[int], replaced: bool) -> AbsentName:
    start, last = split.starts[absent[0]], absent[-1]
    text = claim[start : split.starts[last] + len(split.written[last])]
    first = begins_sentence(split, row.first) and len(row) == 1 and not is_code(split.written[row.first])
    return AbsentName(text, start, replaced, first)


def _parts(split: Tokens, row: Row, absent: list[int], near: list[Row]) -> list[Row]:
    """Return the spans that may have been replaced: the absent words, their entire run, or the run together with a
    nearby run."""
    parts = [Row(absent[0], absent[-1]), row]
    for other in near:
        both = Row(min(row.first, other.first), max(row.last, other.last))
        between = split.folded[min(row.last, other.last) + 1 : max(row.first, other.first)]
        if len(between) <= _MAX_BETWEEN and END not in between:
            parts.append(both)
    return list(dict.fromkeys(parts))


def _is_replaced(claim: Tokens, part: Row, row: Row, sources: Sequence[SourceFacts]) -> bool:
    before, after = (
        claim.folded[max(0, part.first - 2) : part.first],
        claim.folded[part.last + 1 : part.last + 3],
    )
    own = frozenset(claim.folded[row.first : row.last + 1])
    for source in sources:
        other = [word for word in source.places.other(before, after) if word.casefold() not in own]
        if any(may_name(word) or word[0].isdigit() for word in other):
            return True
    return False


def _is_in_sources(word: str, sources: Sequence[SourceFacts]) -> bool:
    value = roman(word) if word.isupper() else None
    if value is not None and any(source.holds_number(Quantity(0, 0, (Fraction(value),))) for source in sources):
        return True
    return any(source.names.holds(word) for source in sources)


def _is_written_shorter(claim: Tokens, row: Row, absent: list[int], sources: Sequence[SourceFacts]) -> bool:
    """Return whether a source contains the acronym of the words, or the initials of the absent words together with one
    of the other words."""
    words = list(claim.written[max(1, row.first - 6) : row.last + 7])
    own = {claim.written[at][0] for at in absent}
    candidates = {acronym for acronym in acronyms(words) if own <= set(acronym)}
    if any(source.names.has_acronym(candidates) for source in sources):
        return True
    missing = frozenset(absent)
    others = [claim.written[at] for at in row if at not in missing]
    return any(
        all(source.names.has_initial(claim.written[at]) for at in absent)
        and any(source.names.holds(other) for other in others)
        for source in sources
    )


_MAX_VALUES = 200
"""Maximum number of values per claim that are compared. A claim is normally one sentence."""


@dataclass(frozen=True, slots=True)
class ValueComparison:
    """The result of a comparison. `value_count` is the number of numbers, times and dates in the claim; `absent` lists
    those that no source contains, as written, with their offsets. `all_compared` is False if the claim has too many
    values to compare all of them."""

    value_count: int
    absent: tuple[tuple[int, str], ...]
    names: tuple[AbsentName, ...]
    all_compared: bool = True


def compare_values(
    claim: str, language: str | None, sources: Sequence[SourceFacts], *, with_names: bool
) -> ValueComparison:
    """Compare the values of a claim with those of its sources. Each character belongs to one value: dates take
    precedence over times, times over numbers, and numbers with their unit over names."""
    all_values = _values_of(claim, language)
    values = all_values[:_MAX_VALUES]
    absent = {(value.start, value.end) for value in values if not _is_in_any(claim, value, sources, language)}
    names = absent_names(claim, sources, language, frozenset(_offsets(values))) if with_names else []
    replaced = set(_replaced_marks(claim, sources)) - absent
    return ValueComparison(
        len(values) + len(replaced),
        tuple((start, claim[start:end]) for start, end in sorted(absent | replaced)),
        tuple(names),
        len(all_values) <= _MAX_VALUES,
    )


@lru_cache(maxsize=4)  # a claim is compared with many sentences in succession
def _values_of(claim: str, language: str | None) -> tuple[Date | Time | Quantity, ...]:
    values: list[Date | Time | Quantity] = list(dates(claim))
    covered = _offsets(values)
    values += [value for value in times(claim, language) if value.start not in covered]
    covered = _offsets(values)
    values += [value for value in quantities(claim, language) if not value.implied and value.start not in covered]
    return tuple(values)


def _replaced_marks(claim: str, sources: Sequence[SourceFacts]) -> Iterator[tuple[int, int]]:
    """Yield ratios, labels and versions that no source contains, if a source has a different one in the same
    position."""
    for ratio in islice(ratios(claim), _MAX_VALUES):
        if not any(source.ratios.holds(ratio) for source in sources) and any(
            source.ratios.has_other(ratio) for source in sources
        ):
            yield ratio.start, ratio.end
    for mark in islice(designations(claim), _MAX_VALUES):
        if not any(source.designations.holds(mark) for source in sources) and any(
            source.designations.has_other(mark) for source in sources
        ):
            yield mark.start, mark.end


def _offsets(values: Sequence[Date | Time | Quantity]) -> set[int]:
    return {at for value in values for at in range(value.start, value.end)}


def _is_in_any(claim: str, value: Date | Time | Quantity, sources: Sequence[SourceFacts], language: str | None) -> bool:
    return any(
        _is_in_source(claim, value, source, language)
        or (_is_compared_as_written(value, source, language) and source.holds_literally(claim[value.start : value.end]))
        for source in sources
    )


def _is_compared_as_written(value: Date | Time | Quantity, source: SourceFacts, language: str | None) -> bool:
    """Return whether a value is compared literally. Numbers with readings are compared by value, because a literal
    comparison would match "5 MW" with "5 mW"."""
    if (isinstance(value, Quantity) and value.readings) or (isinstance(value, Time) and source.has_other_half(value)):
        return False
    # The same digits mean different numbers in two languages: "1.500".
    return language == source.language or language is None or source.language is None


def _is_in_source(claim: str, value: Date | Time | Quantity, source: SourceFacts, language: str | None) -> bool:
    if isinstance(value, Date):
        return source.holds_date(value.ways)
    if isinstance(value, Quantity):
        return source.holds_number(value)
    # A score or a ratio may look like a time.
    if source.holds_time(value) or source.has_other_half(value):
        return source.holds_time(value)
    text = claim[value.start : value.end]
    if ":" in text and (value.is_said or source.has_times):
        return not value.is_said and any(source.ratios.holds(part) for part in ratios(text))
    return all(source.holds_number(part) for part in quantities(text, language))
