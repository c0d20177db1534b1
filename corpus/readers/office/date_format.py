"""Dates and times in number formats: serial numbers in both date systems, and their text in a given format."""

from __future__ import annotations

import calendar
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from locale import windows_locale
from typing import NamedTuple

_DAY = 86_400
_LAST_SERIAL = 2_958_465
"""Serial number of 31 December 9999, the last date that Excel shows."""
_SYSTEM_1904 = 1_462
"""Number of days between the two date systems: 1 January 1904 has the serial number 0 in one and 1462 in the other."""
_LEAP_1900 = 60
"""Serial number of 29 February 1900. Excel has this date because Lotus 1-2-3 had it. Lower serial numbers are counted
from one day later."""
_SYSTEM_SETTINGS = ("F800", "F400", "x-sysdate", "x-systime")
"""Locale codes of formats that depend on each computer's settings."""
_BUDDHIST, _TAIWAN = 543, -1911
"""Offsets in years from the Gregorian calendar to the Buddhist and the Taiwanese calendar."""
_ERAS = (
    (date(2019, 5, 1), "R", "令和"), (date(1989, 1, 8), "H", "平成"), (date(1926, 12, 25), "S", "昭和"),
    (date(1912, 7, 30), "T", "大正"), (date(1868, 1, 25), "M", "明治"),
)  # fmt: skip


Instant = float | Decimal | datetime | date | time | timedelta


class Moment(NamedTuple):
    """A point in time as spreadsheets count it. January 1900 has a day 0. `weekday` is 0 for Sunday."""

    year: int
    month: int
    day: int
    weekday: int
    days: int
    """Whole days since the date system's start, for elapsed time."""
    seconds: int
    """Seconds since the start of the day."""
    fraction: str
    """Decimal digits of the seconds, as many as the format shows."""


def moment_of(value: Instant, *, date1904: bool, decimals: int) -> Moment | None:
    """Convert a value to a moment. Return None for a number below 0 or after the year 9999. Seconds are rounded to the
    displayed precision."""
    decimals = min(decimals, 9)
    match value:
        case datetime():
            days = (value.date() - date(1899, 12, 30)).days
            spent = _seconds(value.time())
        case date():
            days, spent = (value - date(1899, 12, 30)).days, Decimal(0)
        case time():
            days, spent = 0, _seconds(value)
        case timedelta():
            days, spent = value.days, Decimal(value.seconds) + Decimal(value.microseconds) / 1_000_000
        case _:
            serial = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
            if not 0 <= serial < _LAST_SERIAL + 1:
                return None
            days = int(serial)
            spent = (serial - days) * _DAY
    spent = spent.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)
    if spent >= _DAY:
        days, spent = days + 1, spent - _DAY
    whole, _, fraction = f"{spent:f}".partition(".")
    year, month, day, weekday = _calendar(days, value, date1904=date1904)
    return Moment(year, month, day, weekday, days, int(whole), fraction)


def _seconds(value: time) -> Decimal:
    return Decimal(value.hour * 3600 + value.minute * 60 + value.second) + Decimal(value.microsecond) / 1_000_000


def _calendar(days: int, value: object, *, date1904: bool) -> tuple[int, int, int, int]:
    if isinstance(value, datetime | date) or (date1904 and not isinstance(value, time | timedelta)):
        if not isinstance(value, datetime | date):
            days += _SYSTEM_1904
    elif days == _LEAP_1900:
        return 1900, 2, 29, 3
    elif days <= 0:
        return 1900, 1, 0, 6
    elif days < _LEAP_1900:
        real = date(1899, 12, 31) + timedelta(days)
        return real.year, real.month, real.day, (days + 6) % 7
    try:
        real = date(1899, 12, 30) + timedelta(days)
    except OverflowError:
        return 9999, 12, 31, 5
    return real.year, real.month, real.day, (real.weekday() + 1) % 7


def iso_text(value: datetime | date | time | timedelta) -> str:
    """Return a date in ISO 8601, for dates that have no format or whose format depends on the computer's settings."""
    match value:
        case datetime() if (value.hour, value.minute, value.second) != (0, 0, 0):
            return value.strftime("%Y-%m-%d %H:%M:%S").removesuffix(":00")
        case datetime():
            return value.date().isoformat()
        case date():
            return value.isoformat()
        case time():
            return value.strftime("%H:%M:%S").removesuffix(":00")
    seconds = int(value.total_seconds())
    return f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def date_text(tokens: Sequence[tuple[str, str]], moment: Moment, locale: str) -> str:
    """Format a date according to the tokens of a format. `locale` is the content of `[$-...]`: a hexadecimal number or
    a name."""
    if locale.upper().startswith(_SYSTEM_SETTINGS[:2]) or locale.lower().startswith(_SYSTEM_SETTINGS[2:]):
        return _by_system(tokens, moment)
    has_half = any(kind == "half" for kind, _ in tokens)
    names = _names(_language(locale))
    out: list[str] = []
    for place, (kind, text) in enumerate(tokens):
        sign = text[:1].lower()
        match kind:
            case "half":
                half = moment.seconds >= _DAY // 2
                out.append(text.upper().split("/")[half])
            case "elapsed":
                out.append(_elapsed(sign, moment).zfill(len(text)))
            case "subsecond":
                out.append("." + moment.fraction[: len(text)])
            case "date" if sign == "m" and len(text) < 3 and _is_minute(tokens, place):
                out.append(f"{moment.seconds // 60 % 60:0{len(text)}d}")
            case "date" if sign in "hs":
                number = moment.seconds // 3600 if sign == "h" else moment.seconds % 60
                if sign == "h" and has_half:
                    number = number % 12 or 12
                out.append(f"{number:0{min(len(text), 2)}d}")
            case "date":
                out.append(_calendar_text(sign, len(text), moment, locale, names))
            case "literal":
                out.append(text)
    return "".join(out)


def _by_system(tokens: Sequence[tuple[str, str]], moment: Moment) -> str:
    signs = {text[:1].lower() for kind, text in tokens if kind == "date"}
    day = f"{moment.year:04d}-{moment.month:02d}-{moment.day:02d}" if signs & set("yd") else ""
    clock = f"{moment.seconds // 3600:02d}:{moment.seconds // 60 % 60:02d}" if "h" in signs else ""
    if clock and "s" in signs and moment.seconds % 60:
        clock += f":{moment.seconds % 60:02d}"
    return f"{day} {clock}"


def _is_minute(tokens: Sequence[tuple[str, str]], place: int) -> bool:
    """Return whether an `m` stands for minutes, which it does directly after an hour or before a second."""
    signs = [(number, text[:1].lower()) for number, (kind, text) in enumerate(tokens) if kind in ("date", "elapsed")]
    before = [sign for number, sign in signs if number < place]
    after = [sign for number, sign in signs if number > place]
    return before[-1:] == ["h"] or after[:1] == ["s"]


def _elapsed(sign: str, moment: Moment) -> str:
    seconds = moment.days * _DAY + moment.seconds
    return str(seconds // {"h": 3600, "m": 60, "s": 1}[sign])


def _calendar_text(sign: str, width: int, moment: Moment, locale: str, names: _Names) -> str:
    match sign:
        case "y" | "b":
            year = moment.year + (_BUDDHIST if sign == "b" or _is_buddhist(locale) else 0)
            return f"{year % 100:02d}" if width <= 2 else f"{year:04d}"
        case "m" if width > 2:
            name = names.months[width == 3][moment.month - 1]
            return name[:1] if width == 5 else name
        case "m":
            return f"{moment.month:0{width}d}"
        case "d" | "a" if width > 2:
            return names.days[width == 3][moment.weekday]
        case "d":
            return f"{moment.day:0{width}d}"
    return _era_text(sign, width, moment, locale)


def _era_text(sign: str, width: int, moment: Moment, locale: str) -> str:
    """Format an era token. `e` is the year of the era in Japan and Taiwan, and the calendar year elsewhere; `g` is the
    name of the era."""
    language, year = _language(locale), moment.year
    letter, name = "", ""
    if language.startswith("ja") and moment.day:
        start, letter, name = next((era for era in _ERAS if _day(moment) >= era[0]), _ERAS[-1])
        year = moment.year - start.year + 1
    elif language == "zh_TW":
        year, name = moment.year + _TAIWAN, "民國"
    if sign == "e":
        return f"{year:0{min(width, 2)}d}"
    return name if width > 2 else name[:1] if width == 2 else letter


def _day(moment: Moment) -> date:
    last = calendar.monthrange(moment.year, moment.month)[1]
    return date(moment.year, moment.month, min(moment.day, last))


def _number(locale: str) -> int:
    try:
        return int(locale.split(",", maxsplit=1)[0], 16)
    except ValueError:
        return 0


def _is_buddhist(locale: str) -> bool:
    return _number(locale) >> 16 & 0xFF == 7


def _language(locale: str) -> str:
    """Return the locale in Babel's form, such as `de_DE`; English if the format specifies none."""
    if number := _number(locale) & 0xFFFF:
        return windows_locale.get(number, "en_US")
    return locale.split(",", maxsplit=1)[0].replace("-", "_") or "en_US"


class _Names(NamedTuple):
    """Names of the months from January and of the days from Sunday, both in full and abbreviated."""

    months: tuple[tuple[str, ...], tuple[str, ...]]
    days: tuple[tuple[str, ...], tuple[str, ...]]


_ENGLISH_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_ENGLISH_DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


@lru_cache(maxsize=100)
def _names(language: str) -> _Names:
    if not language.startswith("en"):
        from babel import Locale, UnknownLocaleError

        try:
            names = Locale.parse(language)
        except (UnknownLocaleError, ValueError, TypeError):
            return _names("en")
        months, days = names.months["format"], names.days["format"]
        return _Names(_forms(months, range(1, 13)), _forms(days, (6, *range(6))))
    return _Names(
        (_ENGLISH_MONTHS, tuple(month[:3] for month in _ENGLISH_MONTHS)),
        (_ENGLISH_DAYS, tuple(day[:3] for day in _ENGLISH_DAYS)),
    )


def _forms(names: Mapping[str, Mapping[int, str]], keys: Iterable[int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    keys = tuple(keys)
    return tuple(names["wide"][key] for key in keys), tuple(names["abbreviated"][key] for key in keys)
