"""Units of measure, English and German: what they measure, and their exact size where they convert."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache


@dataclass(frozen=True, slots=True)
class Unit:
    """A dimension and the size of one unit in it. Units of different dimensions never agree."""

    dimension: str
    size: Fraction = Fraction(1)


_SIZED: dict[str, dict[str, str]] = {
    "length": {
        "0.000000001": "nm", "0.000001": "µm μm", "0.001": "mm millimeter(s,n) millimetre(s)",
        "0.01": "cm centimeter(s) centimetre(s) zentimeter(s,n)",
        "0.1": "dm", "1": "m meter(s,n) metre(s)", "1000": "km kilometer(s,n) kilometre(s)",
    },
    "mass": {
        "0.000000001": "µg μg", "0.000001": "mg milligram(s) milligramm", "0.001": "g gram(s) gramm",
        "1": "kg kilogram(s) kilogramm kilo(s)", "1000": "t Mg tonne(s,n)",
    },
    "time": {
        "0.001": "ms millisecond(s) millisekunde(n)", "1": "s sec secs sek sekunde(n) second(s)",
        "60": "min mins minute(s,n) minütig(e,en,er,es,em)",
        "3600": "h hr hrs std stunde(n) hour(s) stündig(e,en,er,es,em)",
        "86400": "day(s) tag(e,en) tägig(e,en,er,es,em)",
        "604800": "week(s) woche(n)",
    },
    "volume": {"0.001": "ml milliliter(s) millilitre(s)", "0.01": "cl", "1": "l liter(s,n) litre(s)", "1000": "m³"},
    "area": {
        "0.0001": "cm²", "1": "m² quadratmeter(n)", "10000": "ha hectare(s) hektar",
        "1000000": "km² quadratkilometer(n)",
    },
    "power": {
        "0.001": "mW", "1": "W watt(s)", "1000": "kW kilowatt(s)", "1000000": "MW megawatt(s)", "1000000000": "GW",
    },
    "voltage": {"0.001": "mV", "1": "V volt(s)", "1000": "kV", "1000000": "MV"},
    "current": {"0.001": "mA", "1": "A ampere(s)"},
    "frequency": {"1": "Hz hertz", "1000": "kHz", "1000000": "MHz", "1000000000": "GHz"},
    "pressure": {
        "0.001": "mPa", "1": "Pa", "100": "hPa mbar", "1000": "kPa", "100000": "bar", "1000000": "MPa",
        "1000000000": "GPa",
    },
    "energy": {"0.001": "mJ", "1": "J joule(s)", "1000": "kJ", "3600": "Wh", "3600000": "kWh", "1000000": "MJ"},
}  # fmt: skip

_ALONE = (
    "month(s) monat(e,en,s) monatig(e,en,er,es,em)", "year(s) yr yrs jahr(e,en,s) jährig(e,en,er,es,em)",
    "decade(s) jahrzehnt(e,en)", "century centuries "
    "jahrhundert(e,en)", "mi mile(s) meile(n)", "ft foot feet fuß", "inch inches zoll", "yard(s) yd", "acre(s)",
    "lb lbs", "oz ounce(s) unze(n)", "ton tons", "% percent pct prozent", "‰", "$ dollar(s) usd us$ us-dollar",
    "€ euro(s) eur", "£ gbp", "¥ yen jpy", "chf franken sfr", "pound(s) pfund", "°C", "°F", "K", "° degree(s) grad",
    "mph", "knot(s) knoten", "rpm u/min", "km/h kmh kph", "m/s", "dB", "Nm", "ppm", "kB", "MB", "GB", "TB", "Bit(s)",
    "kb kbit kBit", "Mb Mbit MBit", "Gb Gbit GBit", "Tb Tbit TBit", "kb/s kbit/s kBit/s kbps",
    "Mb/s Mbit/s MBit/s Mbps", "Gb/s Gbit/s GBit/s Gbps", "Tb/s Tbit/s TBit/s Tbps", "byte(s)", "MP",
    "gallon(s)", "hp PS", "Ohm Ω kΩ", "decibel",
)  # fmt: skip

SIGNS = "%‰$€£¥°Ω"


def unit(word: str) -> Unit | None:
    """The unit of that name or symbol. Symbols keep their case ("mW" is not "MW"), names do not."""
    table = _table()
    return table.get(word) or (
        table.get(word.lower()) if len(word) > 2 or word.lower() in _CASELESS else None
    )


_CASELESS = frozenset({"km", "kg", "cm", "mm", "ft", "mi", "kw", "us"})


@cache
def _table() -> dict[str, Unit]:
    found: dict[str, Unit] = {}
    for dimension, sizes in _SIZED.items():
        for size, names in sizes.items():
            found |= dict.fromkeys(_forms(names), Unit(dimension, Fraction(size)))
    for names in _ALONE:
        forms = list(_forms(names))
        found |= dict.fromkeys(forms, Unit(forms[0]))
    return found


def _forms(names: str) -> Iterable[str]:
    """`day(s)` is "day" and "days"."""
    for name in names.split():
        stem, _, endings = name.partition("(")
        yield stem
        for ending in filter(None, endings.rstrip(")").split(",")):
            yield stem + ending
