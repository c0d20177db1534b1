"""Decide whether a sentence ends at a possible sentence break."""

from __future__ import annotations

import re
from collections.abc import Iterator

from corpus.citing.abbreviations import BEFORE_NUMBER, LAST_TOO, MONTHS, NEVER_LAST, STARTING, words_of

_MAX_ABBREVIATION = 5
"""Characters of a word with a full stop that is an abbreviation before a lower-case letter."""
_LAST_WORD = re.compile(r"(?<!\w)(?:[^\W\d_]{1,2}\.\s?){0,4}(?<!\w)[^\W\d_]{1,12}\.\Z")
_GOES_ON = re.compile(r"\s*[,;:–—)\]}»”’/]")
_FIRST_WORD = re.compile(r"[\s\"'„“«»‚‘(\[]*([^\W_]+)")
_INITIAL = re.compile(r"(?:\A|[\s(.])[^\W\d_]\.\Z")
_ROMAN = re.compile(r"[^\W\d_]{2}\s[IVX]{1,5}\.\Z")
_ORDINAL = re.compile(r"(?:(?<!\w)(\w++)\s)?(?:\d{1,2}\.?(?:\s?(?:/|bis|und|oder|–|-)\s?))?\d{1,3}\.\Z")
_DETERMINED_WORDS = (
    "der die das den dem des am im zum zur vom beim bis ab seit ein eine einer einem einen ihr ihre "
    "ihrem ihren sein seine seinem seinen jeder jede jedes jedem jeden dieser diese dieses diesem "
    "diesen unser unsere mein meine "
)
_DETERMINED = frozenset(_DETERMINED_WORDS.split())
_OF_NUMBERS_WORDS = "jh jhd jhdt jahrhundert jahrhunderts jahrhunderte weltkrieg lebensjahr quartal "
_OF_NUMBERS = frozenset(_OF_NUMBERS_WORDS.split())
_HIRAGANA = re.compile("[\u3041-\u3096]")
_MAYBE = re.compile(r"(?<=[.!?])[\"»”“]?\s+(?=[\"„«“]?[^\W\d_])")
_QUOTES = re.compile(r"[\"„“”«»]")


def is_no_break(before: str, after: str, language: str) -> bool:
    """Whether the sentence continues; `before` and `after` are the text around the possible break."""
    before = before.rstrip()
    match = _FIRST_WORD.match(after)
    word = match[1] if match else ""
    if before.endswith((".", "…")):
        return _stop_ends_no_sentence(before, after, word, language)
    return _goes_on(before, after, word)


def _goes_on(before: str, after: str, word: str) -> bool:
    if _GOES_ON.match(after) or (before.endswith(("」", "』")) and _HIRAGANA.match(after)):
        return True
    return (
        bool(word)
        and before.endswith(('"', "“", "”", "»", "’", "'", ")", "」", "』"))
        and _is_small(word, after)
    )


def _is_small(word: str, after: str) -> bool:
    """Whether the word is lower-case as within a sentence: `see`, not `eBay`."""
    return word.islower() and after.lstrip()[:1].islower()


def _stop_ends_no_sentence(before: str, after: str, word: str, language: str) -> bool:
    abbreviation = _abbreviation(before)
    starts = word.lower() in words_of(STARTING, language) and not word.islower()
    small = _is_small(word, after)
    if _GOES_ON.match(after) or abbreviation in words_of(NEVER_LAST, language):
        return True
    if small and (len(abbreviation) <= _MAX_ABBREVIATION or before.endswith(("...", "…"))):
        return True
    if abbreviation in words_of(BEFORE_NUMBER, language) or abbreviation.endswith("str"):
        return word[:1].isdigit() or bool(re.fullmatch(r"[IVXLC]+", word))
    if abbreviation in words_of(LAST_TOO, language):
        return False
    if _INITIAL.search(before) and before[-2].isupper() and word[:1].isupper():
        return not starts
    return language in ("de", "") and _is_german_ordinal(before, word, starts)


def _abbreviation(before: str) -> str:
    match = _LAST_WORD.search(before[-30:])
    return "".join(match[0].split())[:-1].lower() if match else ""


def _is_german_ordinal(before: str, word: str, starts: bool) -> bool:
    if not word or starts:
        return False
    if _ROMAN.search(before):
        return True
    match = _ORDINAL.search(before[-40:])
    if not match:
        return False
    follows = word.lower() in MONTHS or word.lower() in _OF_NUMBERS
    return follows or word.islower() or (match[1] or "").lower() in _DETERMINED


def missed_breaks(text: str, start: int, end: int, language: str) -> Iterator[int]:
    """Offsets within a sentence where another one clearly starts, for example after `usw.` with a word that opens
    sentences. None within quotation marks."""
    quotes, end_of_match = 0, start
    for match in _MAYBE.finditer(text, start, end):
        quotes += len(_QUOTES.findall(text, end_of_match, match.end()))
        end_of_match = match.end()
        before = text[max(start, end_of_match - 80) : end_of_match].rstrip()
        if quotes % 2 == 0 and _starts_anew(before, text[end_of_match : end_of_match + 80], language):
            yield end_of_match


def _starts_anew(before: str, after: str, language: str) -> bool:
    match = _FIRST_WORD.match(after)
    word = match[1] if match else ""
    if not word[:1].isupper() or word.lower() not in words_of(STARTING, language):
        return False
    abbreviation = _abbreviation(before)
    if abbreviation in words_of(NEVER_LAST, language) or len(after.split()) < 2:
        return False
    ends = (_INITIAL.search(before) and before[-2].isupper()) or _ROMAN.search(before)
    return bool(ends) or abbreviation in words_of(LAST_TOO, language)
