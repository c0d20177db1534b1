"""Parse numbers: English and German number words, and digits ("1.500" is 1500 in German, 1.5 in English)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

_ENGLISH = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_GERMAN = (
    "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn "
    "achtzehn neunzehn zwanzig"
)
_ENGLISH_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_GERMAN_TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"
_ENGLISH_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_GERMAN_ORDINALS = "erst zweit dritt viert fünft sechst siebt acht neunt zehnt elft zwölft"
_GERMAN_ENDINGS = ("e", "en", "er", "es", "em")


def _numbered(words: str, first: int = 1, step: int = 1) -> dict[str, int]:
    return {word: first + at * step for at, word in enumerate(words.split())}


def _with_tens() -> dict[str, int]:
    """Return the values of the words from "twenty-one" to "ninety-nine" and from "einundzwanzig" to
    "neunundneunzig"."""
    german_ones = {**_numbered(_GERMAN), "ein": 1}
    words: dict[str, int] = {}
    for ten, tens in _numbered(_ENGLISH_TENS, 20, 10).items():
        words |= {f"{ten}-{unit}": tens + value for unit, value in _numbered(_ENGLISH).items() if value < 10}
    for ten, tens in _numbered(_GERMAN_TENS, 20, 10).items():
        words |= {f"{unit}und{ten}": tens + value for unit, value in german_ones.items() if value < 10}
    return words


CARDINALS = {
    **_numbered(_ENGLISH),
    **_numbered(_GERMAN),
    **_numbered(_ENGLISH_TENS, 20, 10),
    **_numbered(_GERMAN_TENS, 20, 10),
    **_with_tens(),
    "dreissig": 30,
    "zwo": 2,
}

_GERMAN_COMPOUND = re.compile(
    r"(?:(?P<thousands>[a-zäöüß]{0,60}?)(?P<thousand>tausend))?(?:(?P<hundreds>[a-zäöüß]{0,60}?)(?P<hundred>hundert))?"
    r"(?:und)?(?P<rest>[a-zäöüß]{0,60})"
)


def cardinal(word: str) -> int | None:
    """Return the value of a lower-case number word, including German compounds such as "zweitausenddreihundertelf".
    Return None for other words, and for "hundert" and "tausend" alone, which may mean "many"."""
    if (value := CARDINALS.get(word)) is not None:
        return value
    if not ("hundert" in word or "tausend" in word) or len(word) > _MAX_WORD:
        return None  # fast path for nearly every word
    match = _GERMAN_COMPOUND.fullmatch(word)
    if not match or not (match["hundred"] or match["thousand"]) or word in IMPLIED:
        return None
    hundreds, rest = _below(match["hundreds"]), _below(match["rest"])
    thousands = _thousands(match["thousands"])
    if hundreds is None or rest is None or thousands is None:
        return None
    return (thousands or 1) * 1000 * bool(match["thousand"]) + (hundreds or 1) * 100 * bool(match["hundred"]) + rest


def _thousands(words: str | None) -> int | None:
    return (cardinal(words) if words and "hundert" in words and words != "hundert" else None) or (
        100 if words == "hundert" else _below(words)
    )


def _below(words: str | None) -> int | None:
    """Return the value of a word for a number below one hundred; 0 for an empty word."""
    if not words:
        return 0
    return 1 if words == "ein" else CARDINALS.get(words.replace("dreissig", "dreißig"))


_MAX_WORD = 60
"""Maximum length in characters of a word that is parsed, which limits the time spent on hostile texts."""

HALVES = {
    "anderthalb": Fraction(3, 2),
    "eineinhalb": Fraction(3, 2),
    **{f"{word}einhalb": value + Fraction(1, 2) for word, value in _numbered(_GERMAN).items() if value > 1},
}
"""German words for an integer plus a half."""

IMPLIED = {
    "both": 2, "beide": 2, "beiden": 2, "beider": 2, "pair": 2, "couple": 2, "paar": 2, "double": 2, "doubled": 2,
    "twice": 2, "doppelt": 2, "doppelte": 2, "doppelten": 2, "verdoppelt": 2, "zweimal": 2, "dual": 2, "twin": 2,
    "triple": 3, "tripled": 3, "dreimal": 3, "dreifach": 3, "thrice": 3, "dozen": 12, "dutzend": 12, "half": 50,
    "hälfte": 50, "quarter": 25, "viertel": 25, "once": 1, "single": 1, "einmal": 1, "einzige": 1, "einzigen": 1,
    "hundred": 100, "hundert": 100, "thousand": 1000, "tausend": 1000,
    **_numbered(_ENGLISH_ORDINALS),
    **{word + ending: value for word, value in _numbered(_GERMAN_ORDINALS).items() for ending in _GERMAN_ENDINGS},
}  # fmt: skip
"""Words that imply a number. A source may use them for a number that a claim gives in digits. They are not checked if
they occur in a claim."""

NOT_ASKED = frozenset({"one", "eins"})
"""Number words that are usually pronouns in a claim."""

_THOUSAND, _MILLION, _BILLION = 10**3, 10**6, 10**9

MULTIPLIERS = {
    "hundred": 100, "hundert": 100, "thousand": _THOUSAND, "tausend": _THOUSAND, "tsd": _THOUSAND, "tsd.": _THOUSAND,
    "million": _MILLION, "millions": _MILLION, "millionen": _MILLION, "mio": _MILLION, "mio.": _MILLION, "mn": _MILLION,
    "billion": _BILLION, "billions": _BILLION, "bn": _BILLION, "milliarde": _BILLION, "milliarden": _BILLION,
    "mrd": _BILLION, "mrd.": _BILLION, "billionen": 10**12, "trillion": 10**12, "trillions": 10**12, "dozen": 12,
    "dutzend": 12,
}  # fmt: skip


def multiplier(word: str, language: str | None) -> Fraction | None:
    """Return the factor of a word after a number, or None for other words. German "Billion" is an English trillion."""
    key = word.lower()
    if language == "de" and key in ("billion", "trillion"):
        return Fraction(10**12 if key == "billion" else 10**18)
    factor = MULTIPLIERS.get(key)
    return Fraction(factor) if factor else None


_MAX_LENGTH = 30
"""Maximum length of a number in characters. A longer number is an identifier, which is compared literally."""


@lru_cache(maxsize=4096)
def readings(number: str, language: str | None) -> tuple[Fraction, ...]:
    """Return the possible values of a number in digits. A version number or an address has no values."""
    fraction = Fraction(0)
    if not number[-1].isdecimal():
        fraction = Fraction(unicodedata.numeric(number[-1])).limit_denominator(8)
        number = number[:-1] or "0"
    if len(number) > _MAX_LENGTH:
        return ()
    return tuple(dict.fromkeys(value + fraction for value in _plain(number, language)))


def _plain(number: str, language: str | None) -> Iterator[Fraction]:
    number = re.sub(r"[ '’\u00a0\u202f\u2009](?=\d{3})", "", number)
    marks = [character for character in number if not character.isdecimal()]
    parts = re.split(r"[^\d]", number)
    if not marks:
        yield Fraction(int(number))
    elif len(set(marks)) == 2 and marks[-1] not in marks[:-1] and _are_thousands(parts[:-1]):
        yield _decimal("".join(parts[:-1]), parts[-1])
    elif len(set(marks)) > 1 or set(marks) - {".", ","}:
        return
    elif _are_thousands(parts) and (len(marks) > 1 or _may_group(marks[0], language)):
        yield Fraction(int("".join(parts)))
        if len(marks) == 1 and language not in ("en", "de"):
            yield _decimal(*parts)
    elif len(marks) == 1:
        yield _decimal(*parts)


def _are_thousands(parts: list[str]) -> bool:
    return 1 <= len(parts[0]) <= 3 and parts[0] != "0" and all(len(part) == 3 for part in parts[1:])


def _may_group(mark: str, language: str | None) -> bool:
    return mark != {"en": ".", "de": ","}.get(language or "")


def _decimal(whole: str, rest: str) -> Fraction:
    return Fraction(int(whole + rest), 10 ** len(rest))
