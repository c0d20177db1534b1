"""Numbers in text as values with units, limits and powers ("at least 1,500 km"), and ratios ("1:10", "half of")."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from corpus.verification.number_parsing import (
    CARDINALS,
    HALVES,
    IMPLIED,
    NOT_ASKED,
    cardinal,
    multiplier,
    readings,
)
from corpus.verification.units import Unit, unit

_MAX_REACH = 40
"""Maximum number of characters that are read before the number."""
_CURRENCY_SIGN = r"(?:[A-Z]{1,3}\$|[$€£¥₹₩₽])"
_CURRENCY_CODES = "USD|EUR|GBP|CHF|JPY|CNY|AUD|CAD|NZD|HKD|SGD|INR|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|KRW"
_CURRENCY = re.compile(rf"(?<![A-Za-z])({_CURRENCY_SIGN}|{_CURRENCY_CODES})[ \u00a0]?$")
_MINUS = re.compile(
    r"(?:(?:^|[\s(|\[=:,;])[-−‑]|(?:[^\s\d][ \u00a0]|[(|\[=:,;])–|(?:^|[\s(|\[=:,;])[Mm]inus[ \u00a0])$"
)
"""Pattern for a minus sign or the word minus. A dash at the end or start of a line is not a minus."""
_RANGE = re.compile(r"\d\s*[-−‑–]$")
_AT_LEAST_WORDS = (
    "at least|more than|greater than|higher than|longer than|over|above|exceed(?:s|ing|ed)?|upwards? of"
    "|from|minimum(?: of)?|min\\.|mindestens|wenigstens|mehr als|größer als|höher als|länger als|über|oberhalb von|ab"
    "|mind\\."
)
_AT_MOST_WORDS = (
    "at most|less than|fewer than|lower than|smaller than|shorter than|below|under|up to|maximum(?: of)?|max\\."
    "|höchstens|maximal|weniger als|kleiner als|niedriger als|kürzer als|unter|unterhalb von|bis zu|bis"
)
_ABOUT = r"(?:(?:about|around|approximately|approx\.|etwa|rund|circa|ca\.)[ \u00a0])?"
_BOUND = re.compile(
    r"(?P<not>\b(?:not?|nicht|never|nie)[ ])?"
    rf"(?:(?P<least>\b(?:{_AT_LEAST_WORDS})[ \u00a0]|(?:[≥⩾]|(?<=[\w|(] )>=?)[ \u00a0]?)"
    rf"|(?P<most>\b(?:{_AT_MOST_WORDS})[ \u00a0]|(?:[≤⩽]|(?<=[\w|(] )<=?)[ \u00a0]?))"
    rf"{_ABOUT}(?:(?:{_CURRENCY_SIGN}|{_CURRENCY_CODES})[ \u00a0]?)?$",
    re.IGNORECASE,
)


_MAY_BOUND = re.compile(r"[^\W\d_][. \u00a0$€£¥₹₩₽]+$|[≥⩾≤⩽<>=$€£¥₹₩₽] ?$")


def is_negative(text: str, at: int) -> bool:
    """Return whether a minus sign or the word minus belongs to the number at this offset."""
    before = text[max(0, at - 8) : at]
    return bool(_MINUS.search(before)) and not _RANGE.search(before)


def currency(text: str, at: int) -> str | None:
    """Return the currency sign or code before the number at this offset, or None."""
    match = _CURRENCY.search(text[max(0, at - 8) : at])
    return match[1] if match else None


def bound(text: str, at: int) -> int:
    """Return 1 for a lower bound ("at least 5", "over 5", "not less than 5"), -1 for an upper bound, or 0 for
    neither."""
    before = text[max(0, at - _MAX_REACH) : at]
    if not _MAY_BOUND.search(before[-6:]):  # fast path for most numbers of a long table
        return 0
    match = _BOUND.search(before)
    if not match:
        return 0
    return (1 if match["least"] else -1) * (-1 if match["not"] else 1)


_ONE = Fraction(1)
_POWER = re.compile(
    r"(?P<times>[ \u00a0]?[×x·⋅*][ \u00a0]?10)?"
    r"(?:(?P<raised>[⁺⁻]?[⁰¹²³⁴-⁹]{1,3})|\^\{?(?P<plain>[-−+]?\d{1,3})\}?)"
)
_SCIENTIFIC = re.compile(r"[eE](?P<exponent>[-−+]?\d{1,2})(?![\w.])")
"""Pattern for the exponent in scientific notation: 1e6."""
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺−", "0123456789-+-")
_SHORT = re.compile(r"[ \u00a0]?(?P<letters>[kKTmMB]|Mio\.?|Mrd\.?|Md|bn)(?=[€$£¥])")
_SIZES = {"k": 10**3, "K": 10**3, "T": 10**3, "m": 10**6, "M": 10**6, "Mio": 10**6, "B": 10**9, "bn": 10**9}


def power_of_ten(text: str, number: str, at: int) -> tuple[int, Fraction]:
    """Return the end of the power that follows the number, and its factor. Superscript digits after a number other than
    ten are footnote marks."""
    if (scientific := _SCIENTIFIC.match(text, at)) and not text[: at - len(number)][-1:].isalnum():
        return scientific.end(), Fraction(10) ** int(scientific["exponent"].translate(_RAISED))
    match = _POWER.match(text, at)
    if not match or (not match["times"] and number != "10"):
        return at, _ONE
    exponent = int((match["raised"] or match["plain"]).translate(_RAISED))
    return match.end(), Fraction(10) ** (exponent if match["times"] else exponent - 1)


def before_currency(text: str, at: int) -> tuple[int, Fraction]:
    """Return the end of the letters between a number and a currency sign, and the factor that they stand for."""
    match = _SHORT.match(text, at)
    if not match:
        return at, _ONE
    return match.end(), Fraction(_SIZES.get(match["letters"].rstrip("."), 10**9))


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
"""Pattern for the decade suffix after a year that ends in zero."""
_OF_MONEY = {"m": Fraction(10**6), "k": Fraction(1000), "b": Fraction(10**9)}
_MAX_CACHED = 1_000
"""Maximum length in characters of a text whose quantities are cached."""
_PREFIXES = {"square": "²", "cubic": "³", "sq": "²", "sq.": "²"}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and its offsets. `readings` has several values if the language is unknown, and none for versions and
    addresses. `implied` is True for numbers that a word only suggests ("third", "both"), `is_decade` for a decade.
    `bound` is 1 for a lower bound, -1 for an upper bound, and 0 otherwise."""

    start: int
    end: int
    readings: tuple[Fraction, ...]
    unit: Unit | None = None
    is_word: bool = False
    implied: bool = False
    is_decade: bool = False
    bound: int = 0


def quantities(text: str, language: str | None) -> tuple[Quantity, ...]:
    """Return the numbers in order, including digits within words and identifiers ("MPEG-2")."""
    if len(text) > _MAX_CACHED:
        return tuple(_quantities(text, language))
    return _cached(text, language)


@lru_cache(maxsize=256)  # a sentence is parsed as a claim, as evidence and for contradictions
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


def _unit_after(text: str, at: int, language: str | None, is_money: bool) -> tuple[int, Unit | None, Fraction]:
    """Return the end of the number with its unit, the unit, and the factor that the words between them stand for."""
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
        result = Unit(f"{base.dimension}/{each.dimension if each else under}", base.size / (each.size if each else 1))
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


_RATIO = re.compile(r"(?<![\w.,:/])(\d{1,6})[ ]?([:/])[ ]?(\d{1,6})(?![\w:/]|[.,]\d)")
_PAIR = re.compile(
    r"(?<![\d.,])(\d{1,6})\s?(?:[:/\-–−‑]|\b(?:to|zu|bis|of|in|von|aus|and|und|or|oder|auf)\b)\s?(?=(\d{1,6}))"
)
_PARTS = {
    "half": 2, "halves": 2, "hälfte": 2, "halb": 2, "third": 3, "thirds": 3, "drittel": 3, "quarter": 4,
    "quarters": 4, "viertel": 4, "fifth": 5, "fifths": 5, "fünftel": 5,
}  # fmt: skip
_SHARE = re.compile(rf"\b({'|'.join(_PARTS)})\s+(?:of|the|all|der|des|aller|von)\b", re.IGNORECASE)
_PART = re.compile(rf"\b({'|'.join(_PARTS)})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ratio:
    """A ratio of two numbers, with its offsets, or a fraction in words if `first` is 0."""

    start: int
    end: int
    first: int
    second: int
    may_be_time: bool = False


def ratios(claim: str) -> Iterator[Ratio]:
    """Yield the ratios of a claim, then its fractions in words."""
    for match in _RATIO.finditer(claim):
        first, second = int(match[1]), int(match[3])
        may_be_time = match[2] == ":" and len(match[3]) == 2 and first <= 24 and second < 60
        yield Ratio(*match.span(), first, second, may_be_time)
    for match in _SHARE.finditer(claim):
        yield Ratio(*match.span(1), 0, _PARTS[match[1].lower()])


class Ratios:
    """The ratios of one text, computed lazily."""

    def __init__(self, text: str) -> None:
        self._text = text

    def holds(self, ratio: Ratio) -> bool:
        """Return whether the text contains the ratio, or another ratio of the same value."""
        if not ratio.first:
            return ratio.second in self._parts
        return (ratio.first, ratio.second) in self._pairs or self._has_value(ratio)

    def has_other(self, ratio: Ratio) -> bool:
        """Return whether the text contains a similar ratio: the reversed ratio, a ratio that has one number in common
        with this one, or another fraction in words."""
        if not ratio.first:
            return bool(self._shares - {ratio.second})
        if (ratio.second, ratio.first) in self._signed:
            return True
        # Two different times may have the hour or the minute in common.
        return not ratio.may_be_time and (ratio.first in self._firsts or ratio.second in self._seconds)

    def _has_value(self, ratio: Ratio) -> bool:
        return ratio.second != 0 and Fraction(ratio.first, ratio.second) in self._values

    @cached_property
    def _signed(self) -> frozenset[tuple[int, int]]:
        return frozenset((ratio.first, ratio.second) for ratio in ratios(self._text) if ratio.first)

    @cached_property
    def _pairs(self) -> frozenset[tuple[int, int]]:
        return self._signed | {(int(first), int(second)) for first, second in _PAIR.findall(self._text)}

    @cached_property
    def _firsts(self) -> frozenset[int]:
        return frozenset(first for first, _ in self._signed)

    @cached_property
    def _seconds(self) -> frozenset[int]:
        return frozenset(second for _, second in self._signed)

    @cached_property
    def _values(self) -> frozenset[Fraction]:
        """Return the values of the pairs and of the fractions in words."""
        of_pairs = {Fraction(first, second) for first, second in self._signed if second}
        return frozenset(of_pairs | {Fraction(1, part) for part in self._parts})

    @cached_property
    def _shares(self) -> frozenset[int]:
        return frozenset(_PARTS[part.lower()] for part in _SHARE.findall(self._text))

    @cached_property
    def _parts(self) -> frozenset[int]:
        parts = {_PARTS[word.lower()] for word in _PART.findall(self._text)}
        forms = {
            2: r"½|\b50\b|\b0[.,]5\b|1/2",
            3: r"⅓|⅔|\b33\b|/3\b",
            4: r"¼|¾|\b25\b|\b75\b|/4\b",
            5: r"\b20\b|/5\b",
        }
        return frozenset(parts | {part for part, form in forms.items() if re.search(form, self._text)})
