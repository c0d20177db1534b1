"""Contradictions between sources: sentences that agree except for one value. Precision takes precedence over recall."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice

from corpus.text import analysis
from corpus.text.sentences import sentence_spans
from corpus.verification.alignment import OF_CHANGE
from corpus.verification.dates_and_times import dates
from corpus.verification.lexical_overlap import content_words
from corpus.verification.names import Tokens, begins_sentence, is_code, may_name, tokens
from corpus.verification.protocol import SourceText
from corpus.verification.quantities import Quantity, quantities
from corpus.verification.verify import primary

_MIN_SUBJECT = 2
"""Minimum number of words in a subject. A single word ("spending", "contingency") has too many meanings."""
_BOUNDARY = re.compile(r"[,;:(|–—]|\s-\s|\b(?:and|und)\b")
"""Pattern for a clause boundary, after which another subject may begin."""
_YEAR = re.compile(r"(?<![\d.,])(?:1[89]|20)\d\d(?![\d.,]\d|\d)|\bQ[1-4]\b")
_ROW_OR_ITEM = re.compile(r"^\s*(?:[•*–-]|\d+[.)])\s|\|")
"""Pattern for a table row or list item, whose values belong to a heading elsewhere."""
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")
_IN_A_NAME = re.compile(r"(?:[\w/#-]|[^\W\d_]\.|^\W*)$")
"""Pattern for the text before digits that are part of a name, an address or an item number."""
_MIN_OVERLAP = 0.7
"""Minimum fraction of common words (Jaccard) at which two sentences make the same statement."""
_MIN_WORDS = 3
"""Minimum number of words that two sentences have in common, not counting their values."""
_WORD = re.compile(r"[^\W\d_]+")
_MAX_HINTS = 3
"""Maximum number of hints per answer."""
_MAX_VALUES = 4
"""Maximum number of values per hint."""
_MAX_SENTENCES = 60
"""Maximum number of sentences with a value read per source."""
_MAX_PAIRS = 5_000
"""Maximum number of pairs that are compared, which limits the time for many similar sources."""
_MAX_SHOWN = 160
"""Maximum length of a sentence in a hint, in characters."""


@dataclass(frozen=True)
class _Statement:
    """A sentence: its text without values, and its values in order, each with its dimension."""

    number: int
    document: str
    text: str
    rest: str
    language: str | None
    codes: frozenset[str]
    values: tuple[tuple[str, tuple[Fraction, ...]], ...]

    @cached_property
    def words(self) -> frozenset[str]:
        """Return the stems of the sentence's content words. They are computed lazily, because most sentences have no
        counterpart."""
        return frozenset(analysis.terms(" ".join(content_words(self.rest, None)), self.language))


def contradictions(sources: Sequence[SourceText]) -> tuple[str, ...]:
    """Return at most three hints for a human reader. A hint quotes two sentences from different sources that differ in
    one value, or differing values that several sources give for one subject ("the forecast at completion").

    Values are compared in the same way as in claims, so 1500 m and 1.5 km agree. Sentences about different types, years
    or models differ in more than one value and are ignored.
    """
    in_order = sorted(sources, key=lambda source: source.number)
    statements = [statement for source in in_order for statement in _statements(source)]
    pairs: dict[tuple[int, int], str] = {}
    for first, second in islice(_pairs(statements), _MAX_PAIRS):
        key = (first.number, second.number)
        if key not in pairs and len(pairs) < _MAX_HINTS and _differ_in_one(first, second):
            pairs[key] = _hint([(first.number, first.text), (second.number, second.text)])
    hints = list(pairs.values())
    for hint in islice(_of_one_subject(in_order), _MAX_HINTS):
        # Skip hints about sources that a pair of complete sentences already covers.
        if hint.partition(" differ: ")[0] not in {other.partition(" differ: ")[0] for other in hints}:
            hints.append(hint)
    return tuple(hints[:_MAX_HINTS])


@dataclass(frozen=True)
class _Measurement:
    """A value, and the words before it, which describe what was measured."""

    document: str
    number: int
    text: str
    values: frozenset[Fraction]


def _of_one_subject(sources: Sequence[SourceText]) -> Iterator[str]:
    """Yield a hint for each subject for which sources give different values.

    A subject consists of all words of its clause, the unit, the limit ("at least"), and the years, codes and names of
    the sentence. A subject with two values in one document is ignored, because they may belong to different parts or
    cases, or to the time before and after a change.
    """
    by_subject: dict[tuple[object, ...], list[_Measurement]] = {}
    for source in sources:
        for subject, measurement in _measurements(source):
            by_subject.setdefault(subject, []).append(measurement)
    for measurements in by_subject.values():
        distinct: list[_Measurement] = []
        for measurement in measurements:
            if all(measurement.values.isdisjoint(other.values) for other in distinct):
                distinct.append(measurement)
        if 1 < len(distinct) == len({measurement.document for measurement in distinct}):
            yield _hint([(measurement.number, measurement.text) for measurement in distinct[:_MAX_VALUES]])


def _measurements(source: SourceText) -> Iterator[tuple[tuple[object, ...], _Measurement]]:
    language = primary(source.language)
    for start, end in islice(sentence_spans(source.text, source.language), _MAX_SENTENCES):
        text = source.text[start:end]
        if _ROW_OR_ITEM.search(text) or not any(map(str.isdecimal, text)):
            continue
        numbers = [number for number in quantities(text, language) if not number.implied]
        split, begin = tokens(text), 0
        context = (
            frozenset(_YEAR.findall(f"{source.heading or ''} {text}")),
            frozenset(word for word in split.written if is_code(word) and not word.isdecimal()),
            frozenset(split.written[at] for at in _names_in(split, language)),
        )
        for number in numbers:
            for boundary in _BOUNDARY.finditer(text, begin, number.start):
                begin = boundary.end()
            lead, begin = text[begin : number.start], number.end
            words = _subject(lead, source.language)
            if number.unit and number.readings and len(words) >= _MIN_SUBJECT:
                until = _BOUNDARY.search(text, number.end)
                rest = _subject(text[number.end : until.start() if until else None], source.language)
                kind, sizes = _value_of(number)
                clause = text[number.start - len(lead) : number.end].strip()
                document = source.document or str(source.number)
                yield (
                    (words, rest, kind, *context),
                    _Measurement(document, source.number, clause, frozenset(sizes)),
                )


def _subject(lead: str, language: str | None) -> frozenset[str]:
    plain = " ".join(word for word in lead.split() if word.casefold() not in OF_CHANGE)
    return frozenset(analysis.terms(" ".join(content_words(plain, None)), language))


def _names_in(split: Tokens, language: str | None) -> Iterator[int]:
    """Yield capitalised words within a sentence; none in German, which capitalises all nouns."""
    if language != "de":
        yield from (at for at, word in enumerate(split.written) if may_name(word) and not begins_sentence(split, at))


def _hint(statements: Sequence[tuple[int, str]]) -> str:
    *first, last = (str(number) for number, _ in statements)
    *texts, final = (f"“{_shorten(text)}”" for _, text in statements)
    return f"Sources {', '.join(first)} and {last} differ: {', '.join(texts)} and {final}"


def _statements(source: SourceText) -> Iterator[_Statement]:
    count = 0
    for start, end in sentence_spans(source.text, source.language):
        text = source.text[start:end]
        if _ROW_OR_ITEM.search(text) or not any(map(str.isdecimal, text)):
            continue
        statement = _statement(source, text)
        if statement.values and len(_WORD.findall(statement.rest)) >= _MIN_WORDS:
            count += 1
            yield statement
        if count >= _MAX_SENTENCES:
            return


def _statement(source: SourceText, text: str) -> _Statement:
    text_dates = list({value.start: value for value in dates(text)}.values())
    covered = {at for value in text_dates for at in range(value.start, value.end)}
    numbers = [
        value
        for value in quantities(text, primary(source.language))
        if not value.implied
        and value.start not in covered
        and not _IN_A_NAME.search(text, 0, value.start)
        and not _ORDINAL.match(text, value.end)
    ]
    values = [(value.start, ("date", tuple(Fraction(part or 0) for part in value.ways[0]))) for value in text_dates]
    values += [(value.start, _value_of(value)) for value in numbers]
    covered |= {at for value in numbers for at in range(value.start, value.end)}
    rest = "".join(" " if at in covered else character for at, character in enumerate(text))
    split = tokens(rest)
    codes = frozenset(word for word in split.written if is_code(word))
    codes |= frozenset(_YEAR.findall(source.heading or ""))
    in_order = tuple(value for _, value in sorted(values))
    return _Statement(
        source.number, source.document or str(source.number), text, rest, source.language, codes, in_order
    )


def _value_of(number: Quantity) -> tuple[str, tuple[Fraction, ...]]:
    if number.unit is None:
        return f"{number.bound}", number.readings
    return f"{number.bound} {number.unit.dimension}", tuple(reading * number.unit.size for reading in number.readings)


def _pairs(statements: Sequence[_Statement]) -> Iterator[tuple[_Statement, _Statement]]:
    """Yield pairs of statements from two sources with values of the same dimensions and the same codes."""
    groups: dict[tuple[object, ...], list[_Statement]] = {}
    for statement in statements:
        group = groups.setdefault((statement.codes, *(kind for kind, _ in statement.values)), [])
        yield from ((other, statement) for other in group if other.document != statement.document)
        group.append(statement)


def _differ_in_one(first: _Statement, second: _Statement) -> bool:
    both = zip(first.values, second.values, strict=True)
    if sum(set(a).isdisjoint(b) if kind != "date" else a != b for (kind, a), (_, b) in both) != 1:
        return False
    shared = len(first.words & second.words)
    if shared < min(len(first.words), len(second.words)):
        return False  # each side has a word that the other lacks: "grievance", "appeal"
    return shared >= max(_MIN_WORDS, _MIN_OVERLAP * len(first.words | second.words))


def _shorten(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _MAX_SHOWN else flat[:_MAX_SHOWN].rsplit(" ", 1)[0] + " …"
