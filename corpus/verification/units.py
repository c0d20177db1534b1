"""English and German units of measurement: their dimensions, and their exact sizes if they are convertible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

PREFIXES: dict[str, tuple[int, str]] = {
    "p": (-12, "pico piko"), "n": (-9, "nano"), "µ": (-6, "micro mikro"), "μ": (-6, ""), "m": (-3, "milli"),
    "c": (-2, "centi zenti"), "d": (-1, "deci dezi"), "h": (2, "hecto hekto"), "k": (3, "kilo"), "M": (6, "mega"),
    "G": (9, "giga"), "T": (12, "tera"),
}  # fmt: skip
"""Power of ten and names of each prefix."""

_ALL = "p n µ μ m k M G T"
PREFIXED: tuple[tuple[str, str, str, str, str], ...] = (
    ("length", "1", "m", "n µ μ m c d k", "meter(s,n) metre(s)"),
    ("mass", "0.001", "g", "n µ μ m k", "gram(s) gramm"),
    ("time", "1", "s", "n µ μ m", "sekunde(n) second(s)"),
    ("volume", "1", "l L", "n µ μ m c d h", "liter(s,n) litre(s)"),
    ("power", "1", "W", _ALL, "watt(s)"),
    ("apparent power", "1", "VA", "m k M G", "voltampere"),
    ("reactive power", "1", "var", "k M", ""),
    ("voltage", "1", "V", "n µ μ m k M G", "volt(s)"),
    ("current", "1", "A", "p n µ μ m k", "ampere(s) amp(s)"),
    ("charge", "1", "Ah", "m k", ""),
    ("resistance", "1", "Ω Ω", "m k M G", "ohm(s)"),
    ("capacitance", "1", "Farad", "", "farad(s)"),
    ("frequency", "1", "Hz", _ALL, "hertz"),
    ("pressure", "1", "Pa", "µ μ m h k M G", "pascal(s)"),
    ("pressure", "100000", "bar", "µ μ m k M", "bar(s)"),
    ("energy", "1", "J", "p n µ μ m k M G T", "joule(s)"),
    ("energy", "3600", "Wh", "m k M G T", "wattstunde(n)"),
    ("particle energy", "1", "eV", "m k M G T", ""),
    ("heat", "1", "cal", "k", "calorie(s) kalorie(n)"),
    ("force", "1", "N", "p n µ μ m k M G", "newton(s)"),
    ("torque", "1", "Nm", "m c k M", "newtonmeter(s) newtonmetre(s)"),
    ("amount", "1", "mol", "n µ μ m k", ""),
    ("activity", "1", "Bq", _ALL, "becquerel(s)"),
    ("dose", "1", "Sv", "n µ μ m", "sievert(s)"),
    ("absorbed dose", "1", "Gy", "n µ μ m k", ""),
    ("light", "1", "lm", "k", "lumen(s)"),
    ("illuminance", "1", "lx", "k", "lux"),
)
"""Dimension, size, symbols, prefixes of the symbols, and names of each unit. Prefixes that would form another word are
omitted: "pg", "pm", "MA"."""

SIZED: dict[str, dict[str, str]] = {
    "mass": {"0.000000001": "mcg", "1": "kilo(s)", "1000": "t Mg tonne(s,n)"},
    "time": {
        "1": "sec secs sek",
        "60": "min mins minute(s,n) minütig(e,en,er,es,em)",
        "3600": "h hr hrs std stunde(n) hour(s) stündig(e,en,er,es,em)",
        "86400": "day(s) tag(e,en) tägig(e,en,er,es,em)",
        "604800": "week(s) wk wks woche(n) wöchig(e,en,er,es,em)",
    },
    "volume": {"0.001": "ccm cc", "1000": "m³"},
    "area": {
        "0.0001": "cm²", "1": "m² qm quadratmeter(n)", "10000": "ha hectare(s) hektar",
        "1000000": "km² quadratkilometer(n)",
    },
    "rotation": {"1": "rpm u/min r/min rev/min", "60": "rps u/s r/s rev/s"},
    "length/time": {"1": "m/s", "5/18": "km/h kmh kph", "0.44704": "mph", "463/900": "knot(s) knoten kn kts"},
    "capacitance": {"0.000000000001": "pF", "0.000000001": "nF", "0.000001": "µF μF", "0.001": "mF"},
    "inductance": {"0.000000001": "nH", "0.000001": "µH μH", "0.001": "mH"},
    "flux density": {"0.000000001": "nT", "0.000001": "µT μT", "0.001": "mT"},
    "share": {"1": "% percent pct prozent", "0.1": "‰ permille promille", "0.0001": "ppm", "0.0000001": "ppb"},
    "points": {"1": "percentage-point prozentpunkt(e,en,s)", "0.01": "basis-point basispunkt(e,en,s) bps"},
}  # fmt: skip

ALONE = (
    "month(s) mth mths monat(e,en,s) monatig(e,en,er,es,em)", "year(s) yr yrs jahr(e,en,s) jährig(e,en,er,es,em)",
    "decade(s) jahrzehnt(e,en)", "century centuries jahrhundert(e,en)", "mi mile(s) meile(n)", "nmi",
    "ft foot feet fuß", "inch inches zoll", "yard(s) yd yds", "acre(s)", "lb lbs", "oz ounce(s) unze(n)", "ton tons",
    "$ dollar(s) usd us$ US$ us-dollar", "aud A$ AU$", "cad C$ CA$", "nzd NZ$", "hkd HK$", "sgd S$ SG$", "brl R$",
    "mxn MX$", "€ euro(s) eur", "£ gbp", "¥ yen jpy", "cny rmb yuan", "₹ inr rupee(s) rupie(n)", "₩ krw",
    "₽ rouble(s) ruble(s) rubel", "SEK kronor", "nok", "dkk", "pln zloty", "czk", "huf", "chf franken sfr",
    "pound(s) pfund",
    "cent(s)", "°C", "°F", "K kelvin", "° degree(s) grad", "psi", "ksi", "psig", "psia", "atm", "torr mmHg", "inHg",
    "dB decibel", "dBA", "dBm", "dBi",
    "kB kilobyte(s)", "MB megabyte(s)", "GB gigabyte(s)", "TB terabyte(s)", "PB petabyte(s)", "KiB", "MiB", "GiB",
    "TiB", "Bit(s)", "kb kbit kBit kilobit(s)", "Mb Mbit MBit megabit(s)", "Gb Gbit GBit gigabit(s)",
    "Tb Tbit TBit", "kb/s kbit/s kBit/s kbps", "Mb/s Mbit/s MBit/s Mbps", "Gb/s Gbit/s GBit/s Gbps",
    "Tb/s Tbit/s TBit/s Tbps", "byte(s)", "MP", "gallon(s) gal", "quart(s)", "pint(s)", "barrel(s) bbl", "hp PS",
    "BTU", "IU IE",
)  # fmt: skip
"""Units that are compared literally. Each line lists the names of one unit."""

CASELESS = frozenset({"km", "kg", "cm", "mm", "ft", "mi", "kw", "us"})


@dataclass(frozen=True, slots=True)
class Unit:
    """A dimension, and the size of the unit in that dimension. Units of different dimensions never match."""

    dimension: str
    size: Fraction = Fraction(1)


SIGNS = "%‰$€£¥₹₩₽°Ω"


def unit(word: str) -> Unit | None:
    """Return the unit of this name or symbol, or None for other words. Symbols are case-sensitive ("mW" is not "MW");
    names are not."""
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
            yield from ((prefix + name, prefixed_unit) for prefix in prefix_names.split() for name in _forms(names))


def _forms(names: str) -> Iterable[str]:
    """Expand `day(s)` to "day" and "days"."""
    for name in names.split():
        stem, _, endings = name.partition("(")
        yield stem
        for ending in filter(None, endings.rstrip(")").split(",")):
            yield stem + ending
