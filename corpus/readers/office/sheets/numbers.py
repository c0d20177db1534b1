"""Values of cells as the sheet shows them, from the formats in common use."""

from __future__ import annotations

import math
import re
from datetime import datetime, time
from functools import lru_cache
from typing import NamedTuple

_QUOTED = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]\-]*)[^\]]*\]|\[[^\]]*\]|_.|\*.')
_NUMBER = re.compile(r"[#0?,]*[0#?](?:\.([0#?]*))?(?:E[+-]?0+)?")
_DIGITS = 11


class _Form(NamedTuple):
    before: str
    after: str
    decimals: int
    optional: int
    zeros: int
    thousands: bool
    percent: bool
    scientific: bool


def shown(value: object, number_format: str) -> str:
    """Dates come as ISO 8601, for whoever reads them elsewhere; an unusual format gives the plain number."""
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case int() | float():
            return _number(value, number_format)
        case datetime() if (value.hour, value.minute, value.second) != (0, 0, 0):
            return value.strftime("%Y-%m-%d %H:%M:%S").removesuffix(":00")
        case datetime():
            return value.date().isoformat()
        case time():
            return value.strftime("%H:%M:%S").removesuffix(":00")
    return "" if value is None else str(value).strip()


def _number(value: float, number_format: str) -> str:
    if not math.isfinite(value):
        return str(value)
    sections = number_format.split(";")
    negative = value < 0 and len(sections) > 1
    form = _form(sections[1] if negative else sections[0])
    if form is None:
        return f"{value:.{_DIGITS}g}" if isinstance(value, float) else str(value)
    amount = abs(value) if negative else value
    return form.before + _digits(amount * 100 if form.percent else amount, form) + form.after


def _digits(amount: float, form: _Form) -> str:
    if form.scientific:
        return f"{amount:.{form.decimals}E}"
    text = f"{amount:,.{form.decimals}f}" if form.thousands else f"{amount:.{form.decimals}f}"
    for _ in range(form.optional):  # `#` after the point shows no zero
        text = text[:-1] if "." in text and text.endswith("0") else text
    whole, point, rest = text.partition(".")
    sign, whole = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
    return sign + whole.zfill(form.zeros) + (point + rest if rest else "")


@lru_cache(maxsize=1_000)
def _form(section: str) -> _Form | None:
    """None for General, text, fractions and what is not understood."""
    if section in ("General", "@", "") or "/" in section:
        return None
    literals: list[str] = []

    def kept(found: re.Match[str]) -> str:
        literals.append(found[1] or found[2] or found[3] or "")
        return "\0"

    bare = _QUOTED.sub(kept, section)
    found = _NUMBER.search(bare)
    if not found or re.search(r"[ymdhsYMDHS]", bare[: found.start()] + bare[found.end() :]):
        return None
    said = iter(literals)
    before = re.sub("\0", lambda _: next(said), bare[: found.start()])
    after = re.sub("\0", lambda _: next(said), bare[found.end() :])
    places = found[1] or ""
    whole = found.group().split(".")[0].split("E")[0]
    return _Form(
        before=before.strip(),
        after=after if after.strip() else "",
        decimals=min(len(places), 15),
        optional=len(places) - len(places.rstrip("#?")),
        zeros=max(1, whole.count("0")) if "," not in whole else 1,
        thousands="," in whole,
        percent="%" in before + after,
        scientific="E" in found.group(),
    )
