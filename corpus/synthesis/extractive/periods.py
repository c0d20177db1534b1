"""Read the period in a question about a table: days, months, quarters, halves and years, and spans of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeAlias

from corpus.text.analysis import terms
from corpus.verification.dates_and_times import MONTHS, dates

_PERIOD_NAMES = (
    "quarter half year month q1 q2 q3 q4 first second third fourth last beginning end since until till through average "
    "quartal halbjahr jahr monat ersten zweiten dritten vierten letzten anfang ende mitte seit bis durchschnittlich"
)
_PERIOD_WORDS = frozenset(
    term
    for name in (*MONTHS, *map(str, range(1900, 2100)), *_PERIOD_NAMES.split())
    for language in (None, "de", "en")
    for term in terms(name, language)
)
_ENGLISH_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November"),
    "December",
)
_MONTH_NAMES = {
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
}
_ENGLISH_MONTH = {
    name: month for names in _MONTH_NAMES.values() for name, month in zip(names.split(), _ENGLISH_MONTHS, strict=True)
}
"""English month names, keyed by the month names of other languages except German."""
_ENGLISH_WORDS: dict[str, dict[str, str]] = {
    "of": {"fr": "de|du|d", "es": "de|del", "it": "di|del|dell", "nl": "van", "pt": "de|do"},
    "in": {"fr": "en|au", "es": "en", "it": "in|nel|a", "nl": "in", "pt": "em|no"},
    "from": {"it": "da|dal"},
    "to": {"fr": "à", "es": "a|al", "it": "al|ad", "nl": "tot en met|t/m|tot", "pt": "a|ao"},
    "until": {
        "fr": "jusqu'en|jusqu'à|jusqu'au", "es": "hasta", "it": "fino a|fino al|entro", "nl": "tot in", "pt": "até",
    },
    "since": {
        "fr": "depuis|à partir de", "es": "desde", "it": "dallo|a partire da", "nl": "sinds|vanaf",
        "pt": "desde|a partir de",
    },
    "before": {"fr": "avant", "es": "antes de", "it": "prima di", "nl": "voor", "pt": "antes de"},
    "after": {"fr": "après", "es": "después de", "it": "dopo", "nl": "na", "pt": "depois de|após"},
    "between": {"fr": "entre", "es": "entre", "it": "tra|fra", "nl": "tussen", "pt": "entre"},
    "and": {"fr": "et", "es": "y|e", "it": "e", "nl": "en", "pt": "e"},
    "or": {"fr": "ou", "es": "o", "it": "o", "nl": "of", "pt": "ou"},
    "the": {"fr": "le|la", "es": "el|la", "it": "il|lo", "nl": "de|het", "pt": ""},
    "beginning": {"fr": "début", "es": "principios", "it": "inizio", "nl": "begin", "pt": "início"},
    "end": {"fr": "fin", "es": "finales|fin", "it": "fine", "nl": "eind|einde", "pt": "fim|final"},
    "first": {"fr": "premier|première|1er", "es": "primer|primero", "it": "primo", "nl": "eerste", "pt": "primeiro"},
    "second": {"fr": "deuxième|second|2e", "es": "segundo", "it": "secondo", "nl": "tweede", "pt": "segundo"},
    "third": {"fr": "troisième|3e", "es": "tercer|tercero", "it": "terzo", "nl": "derde", "pt": "terceiro"},
    "fourth": {"fr": "quatrième|4e", "es": "cuarto", "it": "quarto", "nl": "vierde", "pt": "quarto"},
    "last": {"fr": "dernier|dernière", "es": "último", "it": "ultimo", "nl": "laatste", "pt": "último"},
    "year": {"fr": "année|an", "es": "año", "it": "anno", "nl": "jaar", "pt": "ano"},
    "month": {"fr": "mois", "es": "mes", "it": "mese", "nl": "maand", "pt": "mês"},
    "quarter": {"fr": "trimestre", "es": "trimestre", "it": "trimestre", "nl": "kwartaal", "pt": "trimestre"},
    "half": {"fr": "semestre", "es": "semestre", "it": "semestre", "nl": "halfjaar|jaarhelft", "pt": "semestre"},
}  # fmt: skip
"""Period words in other languages, by English word. Periods are translated to English before parsing."""
_WORD = re.compile(r"[^\W\d_]+")


@cache
def _english_words(language: str) -> tuple[re.Pattern[str], Mapping[str, str]]:
    """Return the pattern of the period words of a language, and the English word for each."""
    english = {
        word: name
        for name, names in _ENGLISH_WORDS.items()
        for word in filter(None, names.get(language, "").split("|"))
    }
    english |= dict(zip(_MONTH_NAMES[language].split(), _ENGLISH_MONTHS, strict=True))
    by_length = "|".join(map(re.escape, sorted(english, key=len, reverse=True)))
    return re.compile(rf"(?<!\w)(?:{by_length})(?!\w)", re.IGNORECASE), english


def _in_english(text: str, language: str | None) -> str:
    """Return a question with its period words translated to English."""
    if language not in _MONTH_NAMES:
        return text
    pattern, english = _english_words(language)
    plain = re.sub(r"\bd['’](?=\w)", "de ", text.replace("’", "'"))
    return pattern.sub(lambda match: english[match[0].casefold()], plain)


@cache
def period_words(language: str | None) -> frozenset[str]:
    """Return the period words of this language, and their stems."""
    if language not in _MONTH_NAMES:
        return _PERIOD_WORDS
    words = " ".join(_english_words(language)[1])
    return _PERIOD_WORDS | frozenset(terms(words, None)) | frozenset(terms(words, language))


_MONTH = rf"(?P<month>{'|'.join(sorted(MONTHS, key=len, reverse=True))})"
_BARE_MONTH = re.compile(
    rf"(?:,|\b(?:in|im|of|for|since|seit|from|vo[nm]|until|till|through|to|bis|ab|after|before|and|und|or|oder"
    rf"|between|zwischen"
    rf"|zum|vor|nach|by|für|[Aa]nfang|[Mm]itte|[Ee]nde)|[-–])\s?{_MONTH}\b\.?(?!\s?\d)"
)
_LOWER_MONTH = re.compile(rf"\b(?:{'|'.join(name.lower() for name in MONTHS if len(name) > 3 and name != 'March')})\b")
"""Pattern for a month name in lower case that cannot be another word."""
_IN_YEAR = r"(?:,?\s+(?:of\s+|in\s+|des\s+Jahres\s+)?(?P<year>(?:19|20)\d\d)\b)?"
_FRACTION = re.compile(
    r"\b(?:Q(?P<q>[1-4])|(?:(?P<n>[1-4])(?:\.|st|nd|rd|th)|(?P<word>first|second|third|fourth|last|erste|zweite"
    r"|dritte|vierte|letzte)[nrms]?)"
    r"\s+(?P<unit>quarter|quartal|half|halbjahr|jahreshälfte)s?)" + _IN_YEAR,
    re.IGNORECASE,
)
_NTH = {"first": 1, "erste": 1, "second": 2, "zweite": 2, "third": 3, "dritte": 3, "fourth": 4, "vierte": 4}
_BARE_YEAR = re.compile(r"(?<![\w.,/-])(?P<year>(?:19|20)\d\d)(?![\w%/-]|[.,]\d)")
_PART = r"(?:in |im |the |dem |zum |einschließlich |anfang |mitte |ende |(?:beginning|start|middle|end) of )*"
_TO = re.compile(rf" ?(?:bis|to|through|until|till|up to|[-–]) ?{_PART}", re.IGNORECASE)
_AND = re.compile(rf" (?:and|und) {_PART}", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?:between|zwischen)\b[^?]{0,20}$", re.IGNORECASE)
_SINCE = re.compile(rf"\b(?:since|seit|ab|from|starting) {_PART}$", re.IGNORECASE)
_UNTIL = re.compile(rf"\b(?:until|till|bis|up to|through|by) {_PART}$", re.IGNORECASE)
_AFTER = re.compile(rf"\b(?:after|nach) {_PART}$", re.IGNORECASE)
_BEFORE = re.compile(rf"\b(?:before|vor) {_PART}$", re.IGNORECASE)
DateParts: TypeAlias = tuple[int | None, int | None, int | None]
"""Year, month and day. Unknown parts are None."""
_OPEN: DateParts = (None, None, None)


@dataclass(frozen=True, slots=True)
class Span:
    """A time span between two dates, inclusive, with its offsets in the question. A missing part of a date is None; all
    parts are None at an open end."""

    start: int
    end: int
    low: DateParts
    high: DateParts

    def has(self, way: DateParts) -> bool:
        """Return whether a date is in the time span. A date without a year matches any year."""
        low, high = self._key(self.low, way), self._key(self.high, way)
        if low is None or high is None:
            return False
        (from_, above), (to, below) = low, high
        if from_ and to and len(from_) == len(to) and from_ > to:
            return above >= from_ or below <= to  # spans the turn of the year
        return from_ <= above and below <= to

    @staticmethod
    def _key(bound: DateParts, way: DateParts) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """Return the parts that both the bound and the date have, or None if the date lacks a part of the bound."""
        pairs = [pair for n, pair in enumerate(zip(bound, way, strict=True)) if n or pair[1] is not None]
        stated = [(mine, its) for mine, its in pairs if mine is not None]
        if any(its is None for _, its in stated):
            return None
        return tuple(mine for mine, _ in stated), tuple(its for _, its in stated if its is not None)


def period_of(text: str, language: str | None = None) -> tuple[Span, ...]:
    """Return the time spans that a question mentions. The result is empty if it mentions none. A row counts if it is in
    any of them."""
    text = _in_english(text, language)
    text = _LOWER_MONTH.sub(lambda match: match[0].capitalize(), " ".join(text.split()))
    return tuple(_joined(text, _with_years(sorted(_mentions(text), key=lambda span: (span.start, span.low[2] or 0)))))


def with_english_months(text: str) -> str:
    """Return the text of a cell with month names of other languages translated to English."""
    return _WORD.sub(lambda match: _ENGLISH_MONTH.get(match[0].casefold(), match[0]), text)


def _mentions(text: str) -> list[Span]:
    spans: list[Span] = [Span(date.start, date.end, date.ways[0], date.ways[0]) for date in dates(text)]
    for match in _FRACTION.finditer(text):
        unit = (match["unit"] or "quarter").casefold()
        months = 3 if unit.startswith("quart") else 6
        last = 12 // months
        nth = int(match["q"] or match["n"] or _NTH.get((match["word"] or "").casefold(), last))
        year = int(match["year"]) if match["year"] else None
        if nth <= last:
            spans.append(Span(*match.span(), (year, months * (nth - 1) + 1, None), (year, months * nth, None)))
    for match in _BARE_MONTH.finditer(text):
        way = (None, MONTHS[match["month"]], None)
        if not _overlaps(spans, *match.span("month")):
            spans.append(Span(*match.span("month"), way, way))
    for match in _BARE_YEAR.finditer(text):
        if not _overlaps(spans, *match.span()):
            whole_year = (int(match["year"]), None, None)
            spans.append(Span(*match.span(), whole_year, whole_year))
    return spans


def _overlaps(spans: Sequence[Span], start: int, end: int) -> bool:
    return any(span.start < end and start < span.end for span in spans)


def _with_years(spans: Sequence[Span]) -> list[Span]:
    """Return the spans with years. A span without a year gets the year of the next span that has one, or else of the
    previous one. A bare year that another span uses is not a separate span."""
    out = list(spans)
    lenders: set[int] = set()
    for n, span in enumerate(spans):
        if span.low[0] is not None:
            continue
        others = [*range(n + 1, len(spans)), *range(n - 1, -1, -1)]
        lender = next((m for m in others if spans[m].low[0] is not None), None)
        if lender is not None:
            year = spans[lender].low[0]
            out[n] = replace(span, low=(year, span.low[1], span.low[2]), high=(year, span.high[1], span.high[2]))
            lenders.add(lender)
    return [span for n, span in enumerate(out) if n not in lenders or span.low[1] is not None]


def _joined(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """Yield the spans, joining "from A to B" into one and giving "since A" and "until A" an open end."""
    at = 0
    while at < len(spans):
        span, after = spans[at], spans[at + 1] if at + 1 < len(spans) else None
        before = text[: span.start]
        between = text[span.end : after.start] if after else ""
        is_between = bool(_BETWEEN.search(before))
        if after and (
            _TO.fullmatch(between) or (is_between and (_AND.fullmatch(between) or after.start == span.start))
        ):
            yield replace(span, end=after.end, high=after.high)
            at += 2
            continue
        if _SINCE.search(before):
            span = replace(span, high=_OPEN)
        elif _UNTIL.search(before):
            span = replace(span, low=_OPEN)
        elif _AFTER.search(before):
            span = replace(span, low=_moved(span.high, 1), high=_OPEN)
        elif _BEFORE.search(before):
            span = replace(span, low=_OPEN, high=_moved(span.low, -1))
        yield span
        at += 1


def _moved(bound: DateParts, step: int) -> DateParts:
    """Return the bound with its last known part moved by `step`. The result is only for comparison and may have month 0
    or 13."""
    year, month, day = bound
    if day is not None:
        return year, month, day + step
    return (year, month + step, None) if month is not None else (year + step if year is not None else None, None, None)
