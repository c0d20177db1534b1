"""Find the places in a query, and the rest of the query without the words that only identify them.

Precision takes precedence over recall: "how many pages", "figure out" and "the first time" are not places. Ordinals are
supported only for pages, slides and chapters (not "the first table"). Counts ("the last three pages") are not
supported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from corpus.places.place import (
    DASH,
    FIRST,
    LAST,
    LETTERED,
    NOUNS,
    NUMBER,
    NUMBERS,
    ORDINALS,
    PART,
    ROMAN,
    Kind,
    Place,
    Span,
    cells_in,
    either,
    roman,
    roman_value,
    sheet_at,
)

MAX_PLACES = 50
"""Maximum number of places in one list or range. A longer one hardly narrows the search, so its words are searched for
as text."""
MAX_LIST = 20
"""Maximum number of entries read from a list."""

_AXES: tuple[tuple[Kind, ...], ...] = (
    ("figure", "table", "equation"), ("section", "appendix"), ("page", "slide"), ("sheet",), ("row",),
)  # fmt: skip

_WORD = re.compile(r"(?i:§{1,2}|[0-9]{1,3}(?:st|nd|rd|th|\.)(?=[\s-])|[^\W\d_]+)")
_WITHIN = frozenset("'’-_0123456789")
"""Characters after which no new word starts: the "s" in "it's" does not stand for "Seite" (page)."""
_PREPOSITIONS = frozenset(("on", "in", "at", "from", "see", "auf", "im", "aus", "von", "vom", "siehe", "vgl."))
_ARTICLES = frozenset(("the", "der", "die", "das", "dem", "den"))
_MAX_LEAD = 13
"""Maximum length in characters of a preposition and an article before a place, which are removed with the place."""
_NO_UNIT = (
    r"(?!\s?(?:[%€$°‰]|(?:mm|cm|m|km|kg|g|mg|million|millions|billion|thousand|percent|times|years|prozent|mio|mrd|mal"
    r"|jahre|euro|eur|usd)(?![^\W_])))"
)
_END = rf"(?!(?!ff?(?![^\W_]))[^\W_]|[.,:][0-9]|\.[a-z]{{2,5}}(?![^\W_])){_NO_UNIT}"
"""Pattern for the end of a label, which is not part of a longer number or a file name ("figure 3.png")."""
_LIST_END = (
    r"(?=\s{0,2}(?:$|[,.;:?!)]|(?:of|in|on|at|from|for|and|with|are|is|do|does|show|shows|say|says|about|differ|together"
    r"|von|im|auf|aus|der|des|dem|und|mit|zeigen|zeigt|sagt|sagen|sind|ist|an|zu|zum|über|bei|für)(?![^\W_])))"
)
"""Pattern for the end of a list after a singular noun ("figure 2 and 5"). "page 5 and 3 more" must not match."""
_AND = re.compile(r"(?i:\s{0,2}[,;&/+]\s{0,2}(?:(?:and|und|or|oder)\s{1,2})?|\s{1,2}(?:and|und|or|oder|sowie)\s{1,2})")
_TO = re.compile(rf"(?i:\s{{0,2}}{DASH}\s{{0,2}}|\s{{1,2}}(?:to|through|until|bis)\s{{1,2}})")
_FOLLOWING = re.compile(r"\s?ff?\.?(?![^\W_])")
_AFTER_LIST = re.compile(rf"(?i:{_LIST_END})")

_NUMBER_WORD = rf"(?i:{either(NUMBERS)})(?![\w-])"
_BARE = r"[0-9]{1,3}(?:\.[0-9]{1,3}){0,5}"
_PAGE = rf"(?:[0-9]{{1,5}}|[A-Z]{{1,2}}-[0-9]{{1,3}}|{_NUMBER_WORD}|(?![IVX](?![A-Za-z])){ROMAN})"
_LONE = rf"(?:[A-HJ-Z]|[a-z]{_LIST_END})"
_LABELS: dict[Kind, str] = {
    "page": _PAGE,
    "slide": rf"(?:[0-9]{{1,4}}|{_NUMBER_WORD})",
    "section": rf"(?:{LETTERED}|{NUMBER}|{_NUMBER_WORD}|(?!I(?![A-Za-z])(?!{_LIST_END})){ROMAN})",
    "appendix": rf"(?:{LETTERED}|{NUMBER}|(?!I(?![A-Za-z])(?!{_LIST_END})){ROMAN}(?![^\W_])|{_LONE})",
}
_NUMBER_LABEL = (
    rf"(?:(?i:{LETTERED}){PART}|{NUMBER}{PART}|\({NUMBER}[a-z]?\)|{_NUMBER_WORD}"
    rf"|(?!I(?![A-Za-z])(?!{_LIST_END})){ROMAN}(?![^\W_])|[A-HJ-Z])"
)
_KINDS = {noun.kind for noun in NOUNS.values()}
_LABEL = {kind: re.compile(rf"{_LABELS.get(kind, _NUMBER_LABEL)}{_END}") for kind in _KINDS}
_PLAIN_LABEL = {
    kind: re.compile(rf"(?:{_BARE}{PART}{_END}|{_LABELS.get(kind, _NUMBER_LABEL)}{_END})") for kind in _KINDS
}
"""Patterns for a label after a plural noun, where "3-5" is a range, by kind."""


_TO_LABEL = re.compile(r"\.?\s{0,2}(?:(?i:no|nr)\.\s?|#)?")
_ORDINAL_NOUN = re.compile(r"(?i:[\s-]\s?(page|slide|chapter|seite|folie|kapitel)(?![^\W_]))")
_ORDINAL_KINDS: dict[str, Kind] = {
    "page": "page", "seite": "page", "slide": "slide", "folie": "slide", "chapter": "section",
    "kapitel": "section",
}  # fmt: skip
_GERMAN = frozenset(("seite", "folie", "kapitel"))
_LAST = frozenset(("last", "final", "letzte", "letzten", "letzter"))
_EDGE_WORDS = (
    ("title cover opening", r"\s(?:page|sheet|slide)", FIRST),
    ("front", r"\s(?:page|cover)", FIRST),
    ("titelseite titelblatt deckblatt deckblatts deckblattes umschlagseite titelfolie startfolie", "", FIRST),
    ("back closing", r"\s(?:page|cover|slide)", LAST),
    ("schlussfolie abschlussfolie", "", LAST),
)
"""Words for the first and last page or slide, each with the pattern that must follow it, and its label."""
_EDGES = {
    word: (re.compile(rf"(?i:{rest})(?![\w-])"), label) for words, rest, label in _EDGE_WORDS for word in words.split()
}
_COVER = re.compile(r"(?i:(?<=on the )cover(?!-|\s(?:letter|story|version)|\w))")


@dataclass(frozen=True, slots=True)
class PlaceQuery:
    """The places in a query. `places` are in query order, without duplicates; `text` is the remaining text by which
    hits are ranked; it may be empty."""

    places: tuple[Place, ...]
    text: str

    @property
    def alternatives(self) -> tuple[tuple[Place, ...], ...]:
        """Return groups of places. A block matches if it is at one place of each group. For "table 2 on page 5", it
        must be at both places; for "figures 2 and 5" or "figure 3 and table 2", either is enough."""
        axes = sorted(self.places, key=_axis)
        return tuple(tuple(group) for _, group in groupby(axes, key=_axis))


def places_in(query: str) -> PlaceQuery:
    """Return the places in the query and its remaining text. Without places, `text` is the unchanged query."""
    spans = sorted([*_spans(query), *cells_in(query)], key=lambda span: (span[0], -span[1]))
    places: dict[Place, None] = {}
    pieces, at = [], 0
    for start, end, group in spans:
        if start >= at:
            pieces.append(_without_lead(query[at:start]))
            places.update(dict.fromkeys(group))
            at = end
    if not places:
        return PlaceQuery((), query)
    pieces.append(query[at:])
    return PlaceQuery(tuple(places), _tidy(pieces))


def _without_lead(text: str) -> str:
    """Return the text without the preposition and the article at its end, if any."""
    for words in (_ARTICLES, _PREPOSITIONS):
        head = text[-_MAX_LEAD:].split()
        last = head[-1].lstrip("([") if head and text[-1:].isspace() else ""
        if last.casefold() in words:
            text = text.rstrip()[: -len(last)]
    return text


def _spans(query: str) -> Iterator[Span]:
    for word in _WORD.finditer(query):
        if word.start() and query[word.start() - 1] in _WITHIN:
            continue
        key = word[0].casefold()
        span = _by_label(query, word, key) or _by_ordinal(query, word, key) or _by_edge(query, word, key)
        if span := span or sheet_at(query, word.start(), word.end(), key):
            yield span


def _by_label(query: str, word: re.Match[str], key: str) -> Span | None:
    noun = NOUNS.get(key)
    if not noun or (noun.dotted and not query.startswith(".", word.end())):
        return None
    start = _TO_LABEL.match(query, word.end())
    end, labels = _labels_at(query, start.end() if start else word.end(), noun.kind, plural=noun.plural)
    if not labels or len(labels) > MAX_PLACES:
        return None
    return word.start(), end, tuple(Place.at(noun.kind, label) for label in labels)


def _by_ordinal(query: str, word: re.Match[str], key: str) -> Span | None:
    """Return the place of "third page", "3rd page", "3. Seite" or "last page"."""
    if key not in ORDINALS and key not in _LAST and not key[0].isdecimal():
        return None
    noun = _ORDINAL_NOUN.match(query, word.end())
    if not noun or (key.endswith(".") and noun[1].casefold() not in _GERMAN):
        return None
    kind = _ORDINAL_KINDS[noun[1].casefold()]
    if key in _LAST:
        return (word.start(), noun.end(), (Place(kind, LAST),)) if kind != "section" else None
    number = ORDINALS.get(key) or int(key.rstrip("stndrh."))
    label = FIRST if number == 1 and kind != "section" else str(number)
    return word.start(), noun.end(), (Place.at(kind, label),)


def _by_edge(query: str, word: re.Match[str], key: str) -> Span | None:
    if key in _EDGES:
        pattern, label = _EDGES[key]
        if match := pattern.match(query, word.end()):
            is_slide = "folie" in key or "slide" in match[0].casefold()
            return word.start(), match.end(), (Place("slide" if is_slide else "page", label),)
    if key == "cover" and (cover := _COVER.match(query, word.start())):
        return *cover.span(), (Place("page", FIRST),)
    return None


def _labels_at(query: str, start: int, kind: Kind, *, plural: bool) -> tuple[int, list[str]]:
    """Return the end and the labels of a list or range that starts at this offset."""
    label = (_PLAIN_LABEL if plural else _LABEL)[kind]
    first = label.match(query, start)
    if not first:
        return start, []
    end, labels = first.end(), [_digits(first[0])]
    for _ in range(MAX_LIST):
        range_mark = _TO.match(query, end)
        mark = range_mark or _AND.match(query, end)
        after = mark and label.match(query, mark.end())
        if not mark or not after or not (plural or _ends_list(query, kind, mark, after)):
            break
        labels += _between(labels[-1], _digits(after[0])) if range_mark else [_digits(after[0])]
        end = after.end()
    if kind == "page" and (following := _FOLLOWING.match(query, end)):
        end = following.end()
    return end, labels


def _ends_list(query: str, kind: Kind, mark: re.Match[str], after: re.Match[str]) -> bool:
    dashed = bool(re.fullmatch(rf"\s*{DASH}\s*", mark[0]))
    return (dashed and kind in ("page", "slide")) or bool(_AFTER_LIST.match(query, after.end()))


def _digits(label: str) -> str:
    return NUMBERS.get(label.casefold(), label)


def _between(first: str, last: str) -> list[str]:
    """Return the labels after `first` up to and including `last`. If `last` is not greater than `first`, return only
    `last`."""
    low, high = roman_value(first.casefold()), roman_value(last.casefold())
    if low and high and low < high:
        return [roman(value) for value in range(low + 1, high + 1)]
    (before, dot, start), (same, _, stop) = first.rpartition("."), last.rpartition(".")
    if before == same and start.isdecimal() and stop.isdecimal() and int(start) < int(stop):
        numbers = range(int(start) + 1, min(int(stop), int(start) + MAX_PLACES) + 1)
        return [f"{before}{dot}{number}" for number in numbers]
    return [last]


def _tidy(parts: list[str]) -> str:
    text = " ".join(" ".join(parts).split())
    text = re.sub(r"[(\[] ?[)\]]", " ", text)
    return " ".join(re.sub(r" (?=[?!.,;:)])", "", text).split()).strip(" ,;:")


def _axis(place: Place) -> int:
    return next(number for number, kinds in enumerate(_AXES) if place.kind in kinds)
