"""Number formats of spreadsheets (ECMA-376 part 1, 18.8.31): the text that a cell or chart displays for a value."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from corpus.readers.office.date_format import Instant, date_text, iso_text, moment_of

_EXACT = Context(prec=2_000)
"""Precision for the largest double (309 digits) in the longest format of zeros or percent signs (255 characters)."""
_GENERAL_WIDTH = 11
"""Maximum number of characters, including the decimal point, that Excel shows for a number without a format."""
_MAX_WHOLE = 15
"""Maximum number of digits at which a double represents every integer exactly."""

Token = tuple[str, str]
"""Kind and text of a token of a format."""


def number_text(amount: Decimal, tokens: tuple[Token, ...]) -> str:
    """Format a non-negative amount. For a section without placeholders, return only its literal text."""
    kinds = {kind for kind, _ in tokens}
    if kinds & {"general", "text"}:
        return "".join(general_text(amount) if kind in ("general", "text") else text for kind, text in tokens)
    if "slash" in kinds and (fraction := _fraction(amount, tokens)) is not None:
        return fraction
    digits = [place for place, token in enumerate(tokens) if token[0] == "digit"]
    if not digits:
        return "".join(token[1] for token in tokens)
    amount = _EXACT.scaleb(amount, 2 * sum(token[0] == "percent" for token in tokens))
    return _digits(amount, tokens, digits)


class _Layout(NamedTuple):
    """Positions of a number's tokens: the placeholders before the decimal point, after it, and in the exponent."""

    whole: list[int]
    decimals: list[int]
    exponent: list[int]
    has_groups: bool
    thousands: int
    commas: set[int]


@lru_cache(maxsize=1_000)
def _layout(tokens: tuple[Token, ...]) -> _Layout:
    kinds = [token[0] for token in tokens]
    places = [place for place, kind in enumerate(kinds) if kind == "digit"]
    mark = kinds.index("exponent") if "exponent" in kinds else len(tokens)
    point = kinds.index("point") if "point" in kinds[:mark] else mark
    whole = [place for place in places if place < point]
    decimals = [place for place in places if point < place < mark]
    commas: set[int] = set()
    thousands, has_groups = 0, False
    for place, kind in enumerate(kinds):
        if kind != "comma" or (place - 1 not in commas and kinds[place - 1 : place] not in (["digit"], ["point"])):
            continue  # a comma is literal unless it is next to digits
        commas.add(place)
        part = whole if place < point else decimals
        if part and place < part[-1]:
            has_groups |= place < point and kinds[place + 1] in ("digit", "comma")
        else:
            thousands += 1
    return _Layout(
        whole=whole,
        decimals=decimals,
        exponent=[place for place in places if place > mark],
        has_groups=has_groups,
        thousands=thousands,
        commas=commas,
    )


def _digits(amount: Decimal, tokens: tuple[Token, ...], digits: list[int]) -> str:
    layout = _layout(tokens)
    exponent = 0
    if layout.exponent:
        amount, exponent = _mantissa(amount, max(1, len(layout.whole)), len(layout.decimals))
    amount = _round(_EXACT.scaleb(amount, -3 * layout.thousands), len(layout.decimals))
    whole, _, decimals = f"{amount:f}".partition(".")
    fill = {
        **_whole_part("" if whole == "0" else whole, tokens, layout),
        **_decimal_part(decimals, tokens, layout),
    }
    if layout.exponent:
        fill |= _exponent_part(str(abs(exponent)), tokens, layout.exponent)
    out: list[str] = []
    for place, token in enumerate(tokens):
        match token[0]:
            case "digit":
                out.append(fill.get(place, ""))
            case "point" if not layout.whole and place < digits[0] and whole != "0":
                out.append(whole + ".")  # `.00` still shows the integer part
            case "comma" if place in layout.commas:
                pass
            case "exponent":
                out.append("E" + ("-" if exponent < 0 else "+" if token[1][1] == "+" else ""))
            case _:
                out.append(token[1])
    return "".join(out)


def _whole_part(whole: str, tokens: tuple[Token, ...], layout: _Layout) -> dict[int, str]:
    """Fill the placeholders before the decimal point from the right. The leftmost one gets all remaining digits."""
    fill: dict[int, str] = {}
    count = 0

    def with_group_mark(digit: str, pad: bool = False) -> str:
        nonlocal count
        mark = "," if layout.has_groups and count and count % 3 == 0 and not (pad and digit == " ") else ""
        count += 1
        return digit + mark

    rest = whole
    for place in reversed(layout.whole):
        if rest:
            rest, digit = rest[:-1], rest[-1]
            fill[place] = with_group_mark(digit)
        elif pad := {"0": "0", "?": " "}.get(tokens[place][1], ""):
            fill[place] = with_group_mark(pad, pad=True)
    if layout.whole and rest:
        first = layout.whole[0]
        for digit in reversed(rest):
            fill[first] = with_group_mark(digit) + fill[first]
    return fill


def _decimal_part(decimals: str, tokens: tuple[Token, ...], layout: _Layout) -> dict[int, str]:
    """Fill the placeholders after the decimal point. Trailing zeros are omitted for `#` and become spaces for `?`."""
    fill: dict[int, str] = {}
    significant = len(decimals.rstrip("0"))
    for number, place in enumerate(layout.decimals):
        digit = decimals[number : number + 1] or "0"
        sign = tokens[place][1]
        fill[place] = digit if number < significant or sign == "0" else " " if sign == "?" else ""
    return fill


def _exponent_part(digits: str, tokens: tuple[Token, ...], places: list[int]) -> dict[int, str]:
    """Fill the placeholders of an exponent from the right."""
    zeros = sum(tokens[place][1] == "0" for place in places)
    text = digits.zfill(zeros)
    return {places[0]: text[: max(0, len(text) - len(places) + 1)]} | {
        place: text[number - len(places)] if len(text) >= len(places) - number else ""
        for number, place in enumerate(places)
        if number
    }


def _mantissa(amount: Decimal, width: int, decimals: int) -> tuple[Decimal, int]:
    """Scale the amount by a power of ten so that it has as many digits before the decimal point as there are
    placeholders. Return it with the exponent."""
    if not amount:
        return amount, 0
    exponent = amount.adjusted() // width * width
    mantissa = _EXACT.scaleb(amount, -exponent)
    if _round(mantissa, decimals).adjusted() >= width:
        exponent += width
        mantissa = _EXACT.scaleb(amount, -exponent)
    return mantissa, exponent


def _fraction(amount: Decimal, tokens: tuple[Token, ...]) -> str | None:
    """Format a number as a fraction, in a format such as `# ?/?` or `# ??/16`. Return None if a side of the slash has
    no placeholders."""
    slash = next(place for place, token in enumerate(tokens) if token[0] == "slash")
    start, end = slash, slash + 1
    while start and tokens[start - 1] == ("literal", " "):
        start -= 1
    while start and tokens[start - 1][0] == "digit":
        start -= 1
    while end < len(tokens) and tokens[end] == ("literal", " "):
        end += 1
    while end < len(tokens) and (tokens[end][0] == "digit" or re.fullmatch("[1-9]", tokens[end][1])):
        end += 1
    numerators = [token for token in tokens[start:slash] if token[0] == "digit"]
    below = "".join(token[1] for token in tokens[slash + 1 : end]).strip()
    if not numerators or not below:
        return None
    wholes = [place for place, token in enumerate(tokens[:start]) if token[0] == "digit"]
    value = Fraction(amount)
    whole, rest = divmod(value, 1) if wholes else (0, value)
    if below.isdecimal() and int(below):
        bottom = int(below)
        top = math.floor(rest * bottom + Fraction(1, 2))
    else:
        top, bottom = _convergent(float(amount) - whole, 10 ** min(len(below), 7))
    if wholes and top == bottom:
        whole, top = whole + 1, 0
    if not wholes:
        head, whole_text = tokens[:start], ""
    else:
        head = tokens[: wholes[0]]
        keeps_zero = any(tokens[place][1] == "0" for place in wholes)
        whole_text = str(whole) if whole or keeps_zero or not top else ""
    is_kept = any(token[1] == "0" for token in numerators) or not below.strip("0")
    part = f"{top}/{bottom}" if top or is_kept or not wholes else ""
    between = [token for token in tokens[wholes[0] : start] if token[0] == "literal"] if wholes else []
    gap = "".join(token[1] for token in between) if whole_text and part else ""
    tail = "".join(token[1] for token in tokens[end:])
    return "".join(token[1] for token in head) + whole_text + gap + part + tail


def _convergent(value: float, limit: int) -> tuple[int, int]:
    """Return the last convergent of a continued fraction with a denominator below the limit. Calculate in floating
    point, as Excel does (2/7 for 0.3)."""
    rest, before, top, bottom = value, 0, round(value), 1
    last = (top, bottom)
    while abs(value - top / bottom) >= 1e-13 and rest != math.floor(rest):
        rest = 1 / (rest - math.floor(rest))
        before, bottom = bottom, bottom * math.floor(rest) + before
        top = math.floor(value * bottom + 0.5)
        if bottom >= limit:
            return last
        last = (top, bottom)
    return last


def general_text(amount: Decimal) -> str:
    """Format a number in at most eleven characters, as Excel does. An integer of up to fifteen digits, such as a bar
    code, is given in full instead."""
    sign, amount = ("-" if amount < 0 else ""), abs(amount)
    if not amount:
        return "0"
    exponent = amount.adjusted()
    if amount == amount.to_integral_value() and exponent < _MAX_WHOLE:
        return f"{sign}{amount:.0f}"
    short = f"{amount.normalize(_EXACT):f}"
    if -5 < exponent < _GENERAL_WIDTH or (exponent < 0 and len(short) <= _GENERAL_WIDTH):
        decimals = max(0, _GENERAL_WIDTH - 1 - max(1, exponent + 1))
        text = f"{_round(amount, decimals):f}"
        return sign + (text.rstrip("0").rstrip(".") if "." in text else text)
    mantissa, exponent = _mantissa(amount, 1, 5)
    text = f"{_round(mantissa, 5):f}".rstrip("0").rstrip(".")
    return f"{sign}{text}E{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


def _round(amount: Decimal, decimals: int) -> Decimal:
    return amount.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP, context=_EXACT)


_MAX_CODE = 255
"""Maximum length of a format in characters, which is Excel's own limit. A longer format is an attack and counts as
General."""
_MAX_SECTIONS = 4
_PRECISION = Context(prec=15)
"""Precision of Excel: fifteen digits. Further digits are floating-point noise."""
_BY_SYSTEM = {"mm-dd-yy": "[$-F800]yyyy-mm-dd", "m/d/yy h:mm": "[$-F400]yyyy-mm-dd hh:mm"}
"""Formats 14 and 22, keyed by their names in openpyxl. The order of their parts depends on each computer's settings."""
_SIGNIFICANT = re.compile(r"[1-9]")
_OPERATORS = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq, "<>": operator.ne,
}  # fmt: skip
_TOKEN = re.compile(
    r"""
    "(?P<quoted>[^"]*)" | (?P<broken>") | \\(?P<escaped>.) | _(?P<gap>.) | (?P<fill>\*.)
    | \[\$(?P<currency>[^\[\]\-]*)(?:-(?P<locale>[^\[\]]*))?\]
    | \[(?P<condition>(?:<=|>=|<>|<|>|=)\s*[-+]?[\d.]+(?:E[-+]?\d{1,3})?)\s*\]
    | \[(?P<elapsed>h+|m+|s+)\] | (?P<ignored>\[[^\[\]]*\]|b[12](?=[ymdhs]))
    | (?P<general>General|Standard) | (?P<half>AM/PM|A/P|上午/下午) | (?P<exponent>E[-+])
    | (?P<date>y+|m+|d+|h+|s+|b+|a{3,4}|g+|e+)
    | (?P<digit>[0\#?]) | (?P<point>\.) | (?P<comma>,) | (?P<percent>%) | (?P<slash>/) | (?P<text>@)
    | (?P<end>;) | (?P<literal>.)
    """,
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
"""Colours, numeral systems and other codes in brackets, which print nothing."""

Value = Instant | str | None
Condition = tuple[str, Decimal]


class Section(NamedTuple):
    """A section of a format, with its condition. A format has up to four sections."""

    tokens: tuple[Token, ...]
    condition: Condition | None = None
    locale: str = ""

    def has(self, *kinds: str) -> bool:
        """Return whether the section has a token of any of these kinds."""
        return any(kind in kinds for kind, _ in self.tokens)


_GENERAL = Section((("general", "General"),))


def format_value(value: Value, code: str | None, *, date1904: bool = False) -> str:
    """Format a value as a spreadsheet displays it, with runs of spaces collapsed; empty if the format hides the value.

    A number in a date format is a serial number, in the 1904 date system if `date1904` is set. Dates whose order
    depends on the computer's settings are written in ISO 8601. File content never makes this raise.
    """
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value).upper()
    code = _BY_SYSTEM.get(code or "", code or "General")
    sections = _sections(code if len(code) <= _MAX_CODE else "General")
    if isinstance(value, str):
        return _text(value, sections).strip()
    if isinstance(value, float | Decimal) and not math.isfinite(value):
        return str(value)
    number = _decimal(value)
    section, has_minus = _choice(number, sections)
    if section.has("date", "elapsed", "half"):
        return _date(value, number, section, date1904=date1904)
    if isinstance(value, datetime | date | time):
        return iso_text(value)
    text = number_text(abs(number), section.tokens)
    # As in Excel, a number that rounds to zero has no minus sign.
    is_zero = section.has("digit") and not _SIGNIFICANT.search(text)
    return _one_spaced(("-" if has_minus and not is_zero else "") + text)


@lru_cache(maxsize=1_000)
def is_date_code(code: str) -> bool:
    """Return whether a number in this format is displayed as a date or time."""
    return _sections(_BY_SYSTEM.get(code, code)[:_MAX_CODE])[0].has("date", "elapsed", "half")


@lru_cache(maxsize=1_000)
def _sections(code: str) -> tuple[Section, ...]:
    sections: list[Section] = []
    tokens: list[Token] = []
    condition: Condition | None = None
    locale = ""
    for match in _TOKEN.finditer(code):
        kind = match.lastgroup or "ignored"
        match kind:
            case "end":
                sections.append(Section(tuple(_in_context(tokens)), condition, locale))
                tokens, condition, locale = [], None, ""
            case "condition":
                condition = _condition(match[kind])
            case "locale" | "currency":
                locale = match["locale"] or locale
                tokens.append(("literal", match["currency"]))
            case "quoted" | "escaped" | "literal":
                tokens.append(("literal", match[kind]))
            case "broken":
                return (_GENERAL,)
            case "gap":
                tokens.append(("literal", " "))
            case "fill" | "ignored":
                pass
            case _:
                tokens.append((kind, match[kind]))
    sections.append(Section(tuple(_in_context(tokens)), condition, locale))
    return tuple(sections[:_MAX_SECTIONS])


def _condition(text: str) -> Condition | None:
    sign = re.match(r"[<>=]+", text)
    try:
        return (sign[0], Decimal(text[sign.end() :].strip())) if sign else None
    except InvalidOperation:
        return None


def _in_context(tokens: Sequence[Token]) -> Iterator[Token]:
    """Make date letters literal in a section for numbers (`0.0,,M`, `0 g`), and number signs literal in a section for
    dates."""
    kinds = [kind for kind, _ in tokens]
    is_date = _is_date(tokens)
    place = 0
    while place < len(tokens):
        kind, text = tokens[place]
        end = place + 1
        if is_date and kind == "point":
            while end < len(tokens) and kinds[end] == "digit":
                end += 1
        if end > place + 1:
            yield "subsecond", "0" * (end - place - 1)
        elif (kind in ("date", "half") and not is_date) or (
            is_date and kind in ("point", "comma", "percent", "slash", "digit", "exponent")
        ):
            yield "literal", text
        else:
            yield kind, text
        place = end


def _is_date(tokens: Sequence[Token]) -> bool:
    has_digits = is_decimal = has_letters = False
    for kind, text in tokens:
        is_decimal = kind == "point" or (is_decimal and kind == "digit")
        has_digits |= kind == "digit" and not is_decimal
        has_letters |= kind == "date" and text[0] not in "eE"
        if kind in ("elapsed", "half"):
            return True
    return has_letters and not has_digits


def _choice(number: Decimal, sections: Sequence[Section]) -> tuple[Section, bool]:
    """Return the section for a number, and whether a minus sign precedes its text."""
    numeric = [section for section in sections[:3] if not section.has("text")]
    if not numeric:
        return (sections[0] if len(sections) == 1 else _GENERAL), number < 0
    if any(section.condition for section in numeric):
        return _conditional(number, numeric)
    if number < 0:
        return (numeric[1], False) if len(numeric) > 1 else (numeric[0], True)
    return (numeric[2] if number == 0 and len(numeric) > 2 else numeric[0]), False


def _conditional(number: Decimal, sections: Sequence[Section]) -> tuple[Section, bool]:
    """Choose a section by conditions. A section that applies only to negative numbers writes its own sign, as does the
    last section of `[<100]0;0`."""
    first = sections[0].condition or (">", Decimal(0))
    conditions = [first, *(section.condition for section in sections[1:])]
    if len(conditions) == 3 and not conditions[1]:
        conditions[1] = ("<", Decimal(0))
    for place, (section, condition) in enumerate(zip(sections, conditions, strict=True)):
        if not condition:
            has_minus = place != 1 or first[0] == "=" or (first[1] >= 0 and first[0] in (">", ">="))
            return section, number < 0 and has_minus
        sign, limit = condition
        if _OPERATORS[sign](number, limit):
            is_negative = (limit < 0 and sign in ("<", "<=", "=")) or (limit == 0 and sign == "<")
            return section, number < 0 and not is_negative
    return _GENERAL, number < 0


def _text(value: str, sections: Sequence[Section]) -> str:
    """Format text with the fourth section, or with the last one if it contains `@`."""
    last = sections[-1]
    if last.has("general") or (len(sections) < _MAX_SECTIONS and not last.has("text")):
        return value
    return "".join(value if kind == "text" else text for kind, text in last.tokens if kind in ("text", "literal"))


def _date(value: Instant, number: Decimal, section: Section, *, date1904: bool) -> str:
    """Format a date. Negative times are valid in the 1904 date system and as elapsed time; otherwise format the
    number."""
    sign = ""
    if number < 0 and not isinstance(value, date | time):
        if not date1904 and not section.has("elapsed"):
            return general_text(number)
        value = abs(value) if isinstance(value, timedelta) else -number
        sign, date1904 = "-", False
    decimals = max((len(text) for kind, text in section.tokens if kind == "subsecond"), default=0)
    moment = moment_of(value, date1904=date1904, decimals=decimals)
    if moment is None:
        return general_text(number)
    return _one_spaced(sign + date_text(section.tokens, moment, section.locale))


def _decimal(value: Instant) -> Decimal:
    """Return the number that selects a section. For a date it is any positive number."""
    match value:
        case int() | float() | Decimal():
            return _PRECISION.create_decimal(f"{value:.15g}" if isinstance(value, float) else value)
        case timedelta():
            return Decimal(value / timedelta(days=1))
    return Decimal(1)


def _one_spaced(text: str) -> str:
    return " ".join(text.split())
