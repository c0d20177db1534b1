"""Numbers in text as values with units: "1,500 km", "1.500 km" in German, "1500000 m"."""

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
    r"(?:[ \u00a0][⁰¹²³⁴-⁹]{1,3}(?=[ \u00a0]))?"  # footnote mark
    r"[ \u00a0\u202f\u2009-]?(?P<unit>(?:degrees?|Grad) (?:Celsius|Fahrenheit|[CF]\b)"
    r"|[Pp]ercentage[ -]points?|Prozent-Punkten?|[Bb]asis[ -]points?|per cent\b"
    r"|(?:[Rr]evolutions|[Rr]otations|Umdrehungen)(?: per | pro | je |/)"
    r"(?:min(?:ute)?|s(?:ec(?:ond)?)?|Minute|Sekunde)\b"
    r"|(?:square |cubic |sq\.? )?"
    r"(?:[A-Z]{1,3}\$|[°]?[^\W\d_]+(?:/[^\W\d_]+)?[²³]?(?:(?<=m)[23](?!\w))?|[%‰$€£¥₹₩₽°])\.?)"
)
_DECADE = re.compile(r" ?['’]?(?:s|er|ern)\b")
"""A suffix after a year that ends in zero."""
_OF_MONEY = {"m": Fraction(10**6), "k": Fraction(1000), "b": Fraction(10**9)}
_MAX_CACHED = 1_000
"""Characters of a text whose quantities are cached."""
_PREFIXES = {"square": "²", "cubic": "³", "sq": "²", "sq.": "²"}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and its offsets. `readings` has several values where the language is unknown, none for versions and
    addresses. `implied` marks numbers that a word only suggests ("third", "both"), `is_decade` a span of ten years.
    `bound` is 1 for a lower bound, -1 for an upper one."""

    start: int
    end: int
    readings: tuple[Fraction, ...]
    unit: Unit | None = None
    is_word: bool = False
    implied: bool = False
    is_decade: bool = False
    bound: int = 0


def quantities(text: str, language: str | None) -> tuple[Quantity, ...]:
    """Numbers in order, including digits within words and identifiers ("MPEG-2")."""
    if len(text) > _MAX_CACHED:
        return tuple(_quantities(text, language))
    return _cached(text, language)


@lru_cache(maxsize=256)  # a sentence is parsed as claim, as evidence and for contradictions
def _cached(text: str, language: str | None) -> tuple[Quantity, ...]:
    return tuple(_quantities(text, language))


def _quantities(text: str, language: str | None) -> Iterator[Quantity]:
    until = 0
    for match in _TOKEN.finditer(text):
        if match.start() < until:
            continue
        if match["number"]:
            quantity = _in_digits(text, match, language)
        elif (in_words := _in_words(text, match, language)) is None:
            continue
        else:
            quantity = in_words
        until = quantity.end
        yield quantity


def _in_digits(text: str, match: re.Match[str], language: str | None) -> Quantity:
    values = readings(match["number"], language)
    if not values:
        return Quantity(*match.span(), ())
    if _DECADE.match(text, match.end()) and _is_a_year(match["number"]) and match["number"].endswith("0"):
        return Quantity(*match.span(), values, is_decade=True)
    if is_negative(text, match.start()):
        values = tuple(-value for value in values)
    money = currency(text, match.start())
    after_power, power = power_of_ten(text, match["number"], match.end())
    end, parsed_unit, factor = _unit_after(text, after_power, language, money is not None)
    if money and parsed_unit is None:
        parsed_unit = unit(money)
    if parsed_unit and text[match.end() : end].strip() == "A" and _is_a_year(match["number"]):
        end, parsed_unit = match.end(), None  # "1999 A new …"
    scaled = values if power == factor == 1 else tuple(value * power * factor for value in values)
    return Quantity(match.start(), end, scaled, parsed_unit, bound=bound(text, match.start()))


def _in_words(text: str, match: re.Match[str], language: str | None) -> Quantity | None:
    word = match["word"].lower()
    value = cardinal(word) or HALVES.get(word)
    if value is None:
        implied = IMPLIED.get(word)
        if implied is None:
            return None
        return Quantity(*match.span(), (Fraction(implied),), None, is_word=True, implied=True)
    end, parsed_unit, factor = _unit_after(text, match.end(), language, False)
    is_pronoun = word in NOT_ASKED and factor == 1
    limit = bound(text, match.start())
    return Quantity(match.start(), end, (value * factor,), parsed_unit, True, is_pronoun, bound=limit)


def _unit_after(
    text: str, at: int, language: str | None, is_money: bool
) -> tuple[int, Unit | None, Fraction]:
    """The end of the number with its unit, the unit, and the factor of the words between."""
    at, factor = before_currency(text, at)
    for _ in range(3):
        match = _AFTER.match(text, at, at + 40)
        if not match:
            break
        word = match["unit"].strip()
        word_factor = multiplier(word, language) or multiplier(word.rstrip("."), language)
        if word_factor is None and word in ("k", "K") and text[at] in "kK":
            word_factor = Fraction(1000)
        if word_factor is None and is_money:
            word_factor = _OF_MONEY.get(word.lower().rstrip("."))
        if word_factor is None:
            parsed_unit = _unit(word)
            return (match.end() - word.endswith(".") if parsed_unit else at), parsed_unit, factor
        factor *= word_factor
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
        return _to_power(base, _PREFIXES[first]) if base else None
    if rest:
        return unit(f"°{rest[0]}")
    plain = word.rstrip(".")
    result = unit(plain)
    over, _, under = plain.partition("/")
    if result is None and under and (base := unit(over)):
        each = unit(under)
        result = Unit(
            f"{base.dimension}/{each.dimension if each else under}", base.size / (each.size if each else 1)
        )
    if result is None and plain[-1:] in ("²", "³", "2", "3") and (base := unit(plain[:-1])):
        result = _to_power(base, {"2": "²", "3": "³"}.get(plain[-1], plain[-1]))
    return result


def _to_power(base: Unit, sign: str) -> Unit:
    power = 2 if sign == "²" else 3
    if base.dimension == "length":
        return Unit("area", base.size**2) if power == 2 else Unit("volume", base.size**3 * 1000)
    return Unit(base.dimension + sign)


def _is_a_year(number: str) -> bool:
    return len(number) == 4 and number.isdecimal() and 1000 <= int(number) <= 2100
