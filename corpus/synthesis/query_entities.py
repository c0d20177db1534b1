"""Named entities of a question (numbers, identifiers, acronyms, proper names), and whether a text contains them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from itertools import islice
from typing import Literal

from corpus.verification.dates_and_times import MONTHS, dates
from corpus.verification.names import SourceNames, Tokens, begins_sentence, forms, is_code, may_name, tokens

Capitals = Literal["name", "code", "nothing"]

_MAX_NAMES = 64
"""Maximum number of names per question, which limits the time to look for them."""
_TYPO_RATIO = 0.85
"""Minimum similarity (Ratcliff and Obershelp) at which a name counts as a typo of a word: one edit in seven
characters."""
_MIN_TYPO = 5
"""Minimum length in characters of a name that may be a typo. In a shorter name, an edit results in another word: "Mar",
"Mars"."""
_NUMBER = re.compile(r"\d[\d.,'’\u202f]*\d")
_YEAR = re.compile(r"[12]\d{3}")
_SEPARATORS = re.compile(r"\D")
_VERSION = re.compile(r"(?<![\w/-])([^\W\d_]{2,30})([/ -])(\d)(?![\w/]|[.,-]\d)")
"""Pattern for a name with a single digit: "HTTP/2", "Llama 2"."""
_CODE = re.compile(r"(?<![\w/-])([^\W\d_]{1,6})-(\d{1,5}[a-zA-Z]?)(?![\w-])")
"""Pattern for a short name with a number after a hyphen: "DH-40"."""
_NEXT_CODE = r"(?:\s?[,/]\s?|\s(?:and|und|or|oder|to|bis)\s|\s?[–-]\s?)-?"
_PAGES = re.compile(r"\b(?:pages?|pp?\.|seiten?|s\.)\s*\d+(?:\s*(?:-|–|,|and|to|und|bis)\s*\d+)*", re.IGNORECASE)
"""Pattern for page references. They are not names, because a page's text seldom contains its page number."""
_DECADE = re.compile(r"\d{2,4}er[ns]?")
"""Pattern for German decades, as in "den 70ern". English texts express a decade differently, often as a range of
years."""
_DURATION = re.compile(
    r"\b\d{1,3}\s?-?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|sekunden?|minuten?|stunden?|tag(?:en?)?|wochen?|monat(?:en?)?"
    r"|jahr(?:en?)?|heures?|jours?|semaines?|mois|ans|horas?|días?|semanas?|meses|años|ore|giorni|settimane|mesi|anni|uur|dagen|weken"
    r"|maanden|jaar|dias|anos)\b",
    re.IGNORECASE,
)
"""Pattern for a duration ("24 hours before"), which describes a case and is not a name."""
_LIST = re.compile(r"\[[^\[\]]*\]")
"""Pattern for a requested answer format, such as ["3.0", "2.0"]."""
_PARTS = {
    *("table", "tables", "figure", "figures", "section", "chapter", "appendix", "page"),
    *("tabelle", "abbildung", "abschnitt", "kapitel", "seite"),
}
"""Words for numbered parts of a document. The text inside a figure or table does not contain them."""
_BEFORE_NAMES = {
    *("herr", "herrn", "frau", "doktor", "professor", "professorin"),
    *("firma", "projekt", "programm", "marke", "modell", "typ"),
}
"""German nouns that precede a name: "Projekt Merkur", "Frau Keller"."""


def query_names(question: str, language: str | None) -> tuple[str, ...]:
    """Return the distinct names as written in the question. A single digit counts only together with the name before
    it.

    In English, a capitalised word is a name. In German, which capitalises every noun, and in any other or unknown
    language, only a word with a digit or an inner capital is a name. In German, a word after a title or kind, such as
    "Frau", is also a name.
    """
    plain = _LIST.sub(" ", _DURATION.sub(" ", _PAGES.sub(" ", question)))
    split = tokens(_NUMBER.sub(_digits_only, plain))
    capitals = _capitals(split, language)
    before = _BEFORE_NAMES if language == "de" else ()
    candidates = (
        word
        for at, word in enumerate(split.written)
        if _counts(split, at, capitals) or (may_name(word) and split.folded[at - 1] in before)
    )
    names = tuple(islice(dict.fromkeys(candidates), _MAX_NAMES))
    versions = (match for match in _VERSION.finditer(plain) if match[1].casefold() not in _PARTS)
    whole = (match[0] for match in versions if match[2] != " " or match[1] in names)
    codes = [match for match in _CODE.finditer(plain) if match[1].isupper()]
    parts = {part for match in codes for part in match.groups()}
    names = tuple(name for name in names if name not in parts)
    return tuple(dict.fromkeys((*names, *_periods(plain), *whole, *(match[0] for match in codes))))


def is_year(name: str) -> bool:
    """Return whether a name is a number that may be a year."""
    return bool(_YEAR.fullmatch(name))


def all_stand(names: Sequence[str], text: str) -> bool:
    """Return whether the text contains every name; see `absent_names`."""
    return not absent_names(names, text)


def absent_names(names: Sequence[str], text: str) -> list[str]:
    """Return the names that the text does not contain. Numbers and identifiers must match exactly; other names may also
    be inflected or have a typo."""
    names_of_text, split = SourceNames(text), tokens(_NUMBER.sub(_digits_only, text))
    words = frozenset(form for word in split.written for form in forms(word))
    return [
        name
        for name in names
        if not (
            _has_code(code, text)
            if (code := _CODE.fullmatch(name))
            else _stands(name, names_of_text, words)
            or _is_part_of_date(name, text)
            or _has_version(name, text)
            or _has_period(name, text)
        )
    ]


def _is_part_of_date(name: str, text: str) -> bool:
    """Return whether the text contains a month or a year as part of a date: April and 2019 in 04/16/2019."""
    month = MONTHS.get(name)
    if month is None and not _YEAR.fullmatch(name):
        return False
    return any(way[1] == month or str(way[0]) == name for date in dates(text) for way in date.ways)


def _digits_only(number: re.Match[str]) -> str:
    """Return the number without thousands and decimal separators, which differ by language."""
    return _SEPARATORS.sub("", number[0])


def _capitals(split: Tokens, language: str | None) -> Capitals:
    """Return which capitals indicate a name in a question: `name` for a capital at a word's start, `code` for one
    inside a word, or `nothing` if all words are in capitals."""
    long = [word for word in split.written if len(word) > 3]
    if len(long) > 1 and all(word.isupper() for word in long):
        return "nothing"
    is_title = all(word[0].isupper() for word in long)
    return "name" if language == "en" and not is_title else "code"


def _counts(split: Tokens, at: int, capitals: Capitals) -> bool:
    word = split.written[at]
    if any(character.isdigit() for character in word):
        return len(word) > 1 and not _DECADE.fullmatch(word)
    if capitals == "nothing" or not may_name(word) or word.casefold() in _PARTS:
        return False
    return is_code(word) or (capitals == "name" and not begins_sentence(split, at))


_ORDINALS = (
    (r"first|1st|ersten?[sr]?|1\.", "1"),
    (r"second|2nd|zweiten?[sr]?|2\.", "2"),
    (r"third|3rd|dritten?[sr]?|3\.", "3"),
    (r"fourth|4th|vierten?[sr]?|4\.", "4"),
)
_PERIODS = tuple(
    (re.compile(rf"(?<![\w.])(?:{words})[-\s]{{1,4}}{name}\b|\b{short}{number}\b", re.IGNORECASE), f"{short}{number}")
    for name, short in ((r"(?:quarter|quartals?)", "Q"), (r"(?:half|halbjahre?s?)", "H"))
    for words, number in _ORDINALS
)
"""Patterns for quarters and halves of a year, with their short forms."""


def _periods(question: str) -> list[str]:
    return [short for pattern, short in _PERIODS if pattern.search(question)]


def _has_period(name: str, text: str) -> bool:
    return any(short == name and pattern.search(text) for pattern, short in _PERIODS)


def _has_version(name: str, text: str) -> bool:
    match = _VERSION.fullmatch(name)
    return bool(match and re.search(rf"(?<!\w){re.escape(match[1])}[\W_]{{0,2}}{match[3]}(?!\d)", text, re.IGNORECASE))


def _has_code(code: re.Match[str], text: str) -> bool:
    """Return whether the text contains the code, with or without its hyphen, or shortened in a series: "DH-20, -30 and
    -40"."""
    earlier = rf"(?:\d{{1,5}}\w?{_NEXT_CODE}){{0,8}}"
    series = rf"(?<!\w){re.escape(code[1])}[\W_]{{0,2}}{earlier}{code[2]}(?!\w)"
    return bool(re.search(series, text, re.IGNORECASE))


def _stands(name: str, names_of_text: SourceNames, words: frozenset[str]) -> bool:
    if any(character.isdigit() for character in name):
        return not words.isdisjoint(forms(name))
    return names_of_text.holds(name) or any(_alike(name.casefold(), word) for word in words)


def _alike(name: str, word: str) -> bool:
    if min(len(name), len(word)) < _MIN_TYPO or name[0] != word[0] or abs(len(name) - len(word)) > 1:
        return False
    return difflib.SequenceMatcher(None, name, word).ratio() >= _TYPO_RATIO
