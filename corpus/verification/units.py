"""Units of measure, English and German: their dimension, and their exact size where they convert."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from corpus.verification.unit_names import ALONE, CASELESS, PREFIXED, PREFIXES, SIZED


@dataclass(frozen=True, slots=True)
class Unit:
    """A dimension and the size of the unit in it. Units of different dimensions never match."""

    dimension: str
    size: Fraction = Fraction(1)


SIGNS = "%‰$€£¥₹₩₽°Ω"


def unit(word: str) -> Unit | None:
    """The unit of this name or symbol; None for other words. Symbols are case-sensitive ("mW" is not "MW"), names are
    not."""
    table = _table()
    return table.get(word) or (table.get(word.lower()) if len(word) > 2 or word.lower() in CASELESS else None)


@cache
def _table() -> dict[str, Unit]:
    table = dict(_prefixed())
    for dimension, sizes in SIZED.items():
        for size, names in sizes.items():
            table |= dict.fromkeys(_forms(names), Unit(dimension, Fraction(size)))
    for names in ALONE:
        forms = list(_forms(names))
        table |= dict.fromkeys(forms, Unit(forms[0]))
    return table


def _prefixed() -> Iterator[tuple[str, Unit]]:
    for dimension, size, symbols, letters, names in PREFIXED:
        base = Fraction(size)
        for symbol in symbols.split():
            yield symbol, Unit(dimension, base)
        for name in _forms(names):
            yield name, Unit(dimension, base)
        for letter, (power, prefix_names) in PREFIXES.items():
            prefixed_unit = Unit(dimension, base * Fraction(10) ** power)
            if letter in letters.split():
                yield from ((letter + symbol, prefixed_unit) for symbol in symbols.split())
            yield from (
                (prefix + name, prefixed_unit) for prefix in prefix_names.split() for name in _forms(names)
            )


def _forms(names: str) -> Iterable[str]:
    """Expand `day(s)` to "day" and "days"."""
    for name in names.split():
        stem, _, endings = name.partition("(")
        yield stem
        for ending in filter(None, endings.rstrip(")").split(",")):
            yield stem + ending
