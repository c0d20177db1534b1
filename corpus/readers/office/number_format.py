"""Number formats of spreadsheets (ECMA-376 part 1, 18.8.31): the text that a cell or chart shows for a value."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Context, Decimal, InvalidOperation
from functools import lru_cache
from typing import NamedTuple

from corpus.readers.office.date_format import Instant, date_text, iso_text, moment_of
from corpus.readers.office.number_digits import Token, general_text, number_text

_MAX_CODE = 255
"""Characters of a format. Excel accepts no more; a longer one is an attack, and counts as General."""
_MAX_SECTIONS = 4
_PRECISION = Context(prec=15)
"""Excel keeps fifteen digits: later ones are floating-point noise."""
_BY_SYSTEM = {"mm-dd-yy": "[$-F800]yyyy-mm-dd", "m/d/yy h:mm": "[$-F400]yyyy-mm-dd hh:mm"}
"""openpyxl's names of formats 14 and 22, whose order depends on each computer's settings."""
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
"""Colours, numeral systems and other bracketed codes print nothing."""

Value = Instant | str | None
Condition = tuple[str, Decimal]


class Section(NamedTuple):
    """One of up to four parts of a format, with its condition."""

    tokens: tuple[Token, ...]
    condition: Condition | None = None
    locale: str = ""

    def has(self, *kinds: str) -> bool:
        """Return whether the section has a token of one of these kinds."""
        return any(kind in kinds for kind, _ in self.tokens)


_GENERAL = Section((("general", "General"),))


def format_value(value: Value, code: str | None, *, date1904: bool = False) -> str:
    """Write a value as a spreadsheet shows it, runs of spaces collapsed; empty where the format hides it.

    A number under a date format is a serial number, in the system of 1904 if `date1904`. Dates whose order depends
    on the computer's settings are written in ISO 8601. Never raises for file content.
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
    # As in Excel, a number that rounds to zero has no sign.
    is_zero = section.has("digit") and not _SIGNIFICANT.search(text)
    return _one_spaced(("-" if has_minus and not is_zero else "") + text)


@lru_cache(maxsize=1_000)
def is_date_code(code: str) -> bool:
    """Return whether a number in this format reads as a date or time."""
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
    """Make date letters literal in a section of numbers (`0.0,,M`, `0 g`), and number signs in one of dates."""
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
    """Return the section for a number, and whether a minus precedes its text."""
    numeric = [section for section in sections[:3] if not section.has("text")]
    if not numeric:
        return (sections[0] if len(sections) == 1 else _GENERAL), number < 0
    if any(section.condition for section in numeric):
        return _conditional(number, numeric)
    if number < 0:
        return (numeric[1], False) if len(numeric) > 1 else (numeric[0], True)
    return (numeric[2] if number == 0 and len(numeric) > 2 else numeric[0]), False


def _conditional(number: Decimal, sections: Sequence[Section]) -> tuple[Section, bool]:
    """Choose by conditions. A section for negative numbers only writes its own sign, as the last one of `[<100]0;0`."""
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
    """Write text through the fourth section, or the last one if it contains `@`."""
    last = sections[-1]
    if last.has("general") or (len(sections) < _MAX_SECTIONS and not last.has("text")):
        return value
    return "".join(value if kind == "text" else text for kind, text in last.tokens if kind in ("text", "literal"))


def _date(value: Instant, number: Decimal, section: Section, *, date1904: bool) -> str:
    """Write a date. Negative times exist in the system of 1904 and as elapsed time; elsewhere the number is shown."""
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
    """Return the number to choose a section by; any positive one for a date."""
    match value:
        case int() | float() | Decimal():
            return _PRECISION.create_decimal(f"{value:.15g}" if isinstance(value, float) else value)
        case timedelta():
            return Decimal(value / timedelta(days=1))
    return Decimal(1)


def _one_spaced(text: str) -> str:
    return " ".join(text.split())
