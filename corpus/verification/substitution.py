"""Entity substitution: names of a claim that its sources lack, and whether they have another name in its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from corpus.verification.held_names import acronyms
from corpus.verification.holdings import Holdings
from corpus.verification.names import Row, begins_sentence, capitalised, is_code, is_sure, may_name, rows
from corpus.verification.quantities import Quantity
from corpus.verification.roman import roman
from corpus.verification.tokens import END, Tokens, tokens

_MAX_ROWS = 100
"""Names per claim that are looked up; a claim is a sentence."""

_MAX_BETWEEN = 2
"""Small words between two names that may be one: "Ming and Qing", "Grade von Privilegien"."""


@dataclass(frozen=True, slots=True)
class AbsentName:
    """A name, or several in a row, that no source has. `is_replaced` where a source has something else in its place;
    `is_first` where it may be capitalised only because it begins the sentence."""

    text: str
    start: int
    is_replaced: bool
    is_first: bool = False


def absent_names(
    claim: str, sources: Sequence[Holdings], language: str | None, covered: frozenset[int]
) -> list[AbsentName]:
    """The absent names in order. Capitalised words that may be common nouns count only where they are replaced."""
    split = tokens(claim)
    lacking = [
        (row, absent)
        for row in rows(split, covered)[:_MAX_ROWS]
        if (
            absent := [
                at
                for at in row
                if len(split.written[at]) > 1 and not _is_in_sources(split.written[at], sources)
            ]
        )
        and not _is_written_shorter(split, row, absent, sources)
    ]
    names, capitals = [], capitalised(split)
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
    """Spans that may have been replaced: the absent words, their whole run, or the run with absent ones close by."""
    parts = [Row(absent[0], absent[-1]), row]
    for other in near:
        both = Row(min(row.first, other.first), max(row.last, other.last))
        between = split.folded[min(row.last, other.last) + 1 : max(row.first, other.first)]
        if len(between) <= _MAX_BETWEEN and END not in between:
            parts.append(both)
    return list(dict.fromkeys(parts))


def _is_replaced(claim: Tokens, part: Row, row: Row, sources: Sequence[Holdings]) -> bool:
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


def _is_in_sources(word: str, sources: Sequence[Holdings]) -> bool:
    value = roman(word) if word.isupper() else None
    if value is not None and any(
        source.holds_number(Quantity(0, 0, (Fraction(value),))) for source in sources
    ):
        return True
    return any(source.names.holds(word) for source in sources)


def _is_written_shorter(claim: Tokens, row: Row, absent: list[int], sources: Sequence[Holdings]) -> bool:
    """Whether a source has the acronym of the words, or initials of the absent words beside the others."""
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
