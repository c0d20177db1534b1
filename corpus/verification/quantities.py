"""The numbers of a text as values, each with its unit: "1,500 km", "1.500 km" in German, "1500000 m"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from corpus.verification.before import bound, currency, is_negative
from corpus.verification.number_words import CARDINALS, HALVES, IMPLIED, NOT_ASKED, cardinal, multiplier
from corpus.verification.powers import before_currency, power_of_ten
from corpus.verification.readings import readings
from corpus.verification.units import Unit, unit

_SEPARATOR = "[.,'’\u00a0\u202f\u2009]"
_FRACTIONS = "½¼¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_NUMBER = rf"\d{{1,3}}(?: \d{{3}})+(?![\d])(?:[.,]\d+)?|\d+(?:{_SEPARATOR}\d+)*"
_HYPHENATED = "|".join(word for word in CARDINALS if "-" in word)
_TOKEN = re.compile(
    rf"(?P<number>(?<!\d)(?:{_NUMBER})[{_FRACTIONS}]?|[{_FRACTIONS}])"
    rf"|(?P<word>(?<![^\W\d_])(?:{_HYPHENATED})(?![^\W\d_])|[^\W\d_]+)",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"(?:[ \u00a0][⁰¹²³⁴-⁹]{1,3}(?=[ \u00a0]))?"  # the mark of a note
    r"[ \u00a0\u202f\u2009-]?(?P<unit>(?:degrees?|Grad) (?:Celsius|Fahrenheit|[CF]\b)"
    r"|[Pp]ercentage[ -]points?|Prozent-Punkten?|[Bb]asis[ -]points?|per cent\b"
    r"|(?:[Rr]evolutions|[Rr]otations|Umdrehungen)(?: per | pro | je |/)"
    r"(?:min(?:ute)?|s(?:ec(?:ond)?)?|Minute|Sekunde)\b"
    r"|(?:square |cubic |sq\.? )?"
    r"(?:[A-Z]{1,3}\$|[°]?[^\W\d_]+(?:/[^\W\d_]+)?[²³]?(?:(?<=m)[23](?!\w))?|[%‰$€£¥₹₩₽°])\.?)"
)
_DECADE = re.compile(r" ?['’]?(?:s|er|ern)\b")
"""After a year that ends in zero."""
_OF_MONEY = {"m": Fraction(10**6), "k": Fraction(1000), "b": Fraction(10**9)}
_LONGEST_KEPT = 1_000
"""Letters."""
_PREFIXES = {"square": "²", "cubic": "³", "sq": "²", "sq.": "²"}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number where it stands. `readings` are what it may mean, more than one where the language is not known, none
    for a version or an address. `implied` is a number that a word only suggests ("third", "both"), `is_decade` one
    that means ten years. `bound` is 1 for a least value, -1 for a greatest."""

    start: int
    end: int
    readings: tuple[Fraction, ...]
    unit: Unit | None = None
    is_word: bool = False
    implied: bool = False
    is_decade: bool = False
    bound: int = 0


def quantities(text: str, language: str | None) -> tuple[Quantity, ...]:
    """In order. Digits within a word or an identifier ("MPEG-2") are numbers as well."""
    if len(text) > _LONGEST_KEPT:
        return tuple(_quantities(text, language))
    return _kept(text, language)


@lru_cache(maxsize=256)  # a sentence is a claim, the evidence of it, and compared with those of other sources
def _kept(text: str, language: str | None) -> tuple[Quantity, ...]:
    return tuple(_quantities(text, language))


def _quantities(text: str, language: str | None) -> Iterator[Quantity]:
    until = 0
    for match in _TOKEN.finditer(text):
        if match.start() < until:
            continue
        if match["number"]:
            found = _in_digits(text, match, language)
        elif (worded := _in_words(text, match, language)) is None:
            continue
        else:
            found = worded
        until = found.end
        yield found


def _in_digits(text: str, match: re.Match[str], language: str | None) -> Quantity:
    read = readings(match["number"], language)
    if not read:
        return Quantity(*match.span(), ())
    if _DECADE.match(text, match.end()) and _is_a_year(match["number"]) and match["number"].endswith("0"):
        return Quantity(*match.span(), read, is_decade=True)
    if is_negative(text, match.start()):
        read = tuple(-one for one in read)
    money = currency(text, match.start())
    behind, power = power_of_ten(text, match["number"], match.end())
    end, measured, factor = _measured(text, behind, language, money is not None)
    if money and measured is None:
        measured = unit(money)
    if measured and text[match.end() : end].strip() == "A" and _is_a_year(match["number"]):
        end, measured = match.end(), None  # "1999 A new …"
    sized = read if power == factor == 1 else tuple(one * power * factor for one in read)
    return Quantity(match.start(), end, sized, measured, bound=bound(text, match.start()))


def _in_words(text: str, match: re.Match[str], language: str | None) -> Quantity | None:
    word = match["word"].lower()
    value = cardinal(word) or HALVES.get(word)
    if value is None:
        implied = IMPLIED.get(word)
        if implied is None:
            return None
        return Quantity(*match.span(), (Fraction(implied),), None, is_word=True, implied=True)
    end, measured, factor = _measured(text, match.end(), language, False)
    unasked = word in NOT_ASKED and factor == 1
    least = bound(text, match.start())
    return Quantity(match.start(), end, (value * factor,), measured, True, unasked, bound=least)


def _measured(text: str, at: int, language: str | None, is_money: bool) -> tuple[int, Unit | None, Fraction]:
    """Where the number with its unit ends, the unit, and what the words between multiply it by."""
    at, factor = before_currency(text, at)
    for _ in range(3):
        match = _AFTER.match(text, at, at + 40)
        if not match:
            break
        word = match["unit"].strip()
        times = multiplier(word, language) or multiplier(word.rstrip("."), language)
        if times is None and word in ("k", "K") and text[at] in "kK":
            times = Fraction(1000)
        if times is None and is_money:
            times = _OF_MONEY.get(word.lower().rstrip("."))
        if times is None:
            measured = _unit(word)
            return (match.end() - word.endswith(".") if measured else at), measured, factor
        factor *= times
        at = match.end()
    return at, None, factor


_WORDED = {"perc": "percentage-point", "proz": "prozentpunkt", "basi": "basis-point", "per ": "%"}


def _in_several_words(word: str) -> Unit | None:
    low = word.lower()
    if low.startswith(("revolutions", "rotations", "umdrehungen")):
        return unit("rps" if re.search(r"[ /]s[a-z]*$", low) else "rpm")
    spaced = " " in low or "-" in low
    return unit(_WORDED[low[:4]]) if spaced and low[:4] in _WORDED else None


def _unit(word: str) -> Unit | None:
    if several := _in_several_words(word):
        return several
    first, _, rest = word.partition(" ")
    if rest and first in _PREFIXES:
        base = unit(rest.rstrip("."))
        return _squared(base, _PREFIXES[first]) if base else None
    if rest:
        return unit(f"°{rest[0]}")
    plain = word.rstrip(".")
    found = unit(plain)
    over, _, under = plain.partition("/")
    if found is None and under and (base := unit(over)):
        each = unit(under)
        found = Unit(
            f"{base.dimension}/{each.dimension if each else under}", base.size / (each.size if each else 1)
        )
    if found is None and plain[-1:] in ("²", "³", "2", "3") and (base := unit(plain[:-1])):
        found = _squared(base, {"2": "²", "3": "³"}.get(plain[-1], plain[-1]))
    return found


def _squared(base: Unit, sign: str) -> Unit:
    power = 2 if sign == "²" else 3
    if base.dimension == "length":
        return Unit("area", base.size**2) if power == 2 else Unit("volume", base.size**3 * 1000)
    return Unit(base.dimension + sign)


def _is_a_year(number: str) -> bool:
    return len(number) == 4 and number.isdecimal() and 1000 <= int(number) <= 2100
