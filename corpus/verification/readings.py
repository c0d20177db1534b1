"""Number parsing: "1.500" is 1500 in German, 1.5 in English, and either where the language is unknown."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

_MAX_LENGTH = 30
"""Characters. A longer number is an identifier, compared literally."""


@lru_cache(maxsize=4096)
def readings(number: str, language: str | None) -> tuple[Fraction, ...]:
    """The values that a number in digits may have; none for a version or an address."""
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
