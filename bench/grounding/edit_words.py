"""Words by which edited sentences differ from true ones: months, number words, units, names."""

from __future__ import annotations

MONTHS = {
    "en": (
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ),
    "de": (
        "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
        "Dezember",
    ),
}  # fmt: skip

NUMBERS = {
    "en": ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    "de": ("zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"),
}
"""Number words from 2 on. The word for 1 is omitted because it is also an article."""

UNITS = (
    {"en": ("kilometres", "metres", "miles", "feet", "inches"), "de": ("Kilometer", "Meter", "Meilen", "Fuß", "Zoll")},
    {"en": ("kilometers", "meters", "yards", "centimeters"), "de": ("Zentimeter", "Millimeter", "Yards")},
    {"en": ("km", "m", "cm", "mm", "mi", "ft"), "de": ("km", "m", "cm", "mm")},
    {"en": ("kg", "g", "lb", "tonnes", "tons"), "de": ("kg", "g", "Tonnen", "Pfund")},
    {"en": ("seconds", "minutes", "hours", "days"), "de": ("Sekunden", "Minuten", "Stunden", "Tage")},
    {"en": ("weeks", "months", "years", "decades"), "de": ("Wochen", "Monate", "Jahre", "Jahrzehnte")},
    {"en": ("percent", "dollars", "euros", "pounds"), "de": ("Prozent", "Dollar", "Euro", "Franken")},
    {"en": ("hectares", "acres", "km²", "m²"), "de": ("Hektar", "Quadratkilometer", "km²", "m²")},
    {"en": ("V", "A", "W", "kW", "MW", "Hz", "bar", "kPa"), "de": ("V", "A", "W", "kW", "MW", "Hz", "bar", "kPa")},
    {"en": ("million", "billion", "thousand"), "de": ("Millionen", "Milliarden", "Tausend")},
    {"en": ("°C", "°F", "K"), "de": ("°C", "°F", "K")},
)  # fmt: skip
"""Words that can replace one another after a number without making the sentence sound odd."""

NAMES = (
    "Hartmann", "Lindqvist", "Okafor", "Nakamura", "Petrov", "Moreau", "Delgado", "Ferrari", "Kowalski", "Brennan",
    "Toulouse", "Kyoto", "Bratislava", "Nairobi", "Helsinki", "Porto", "Graz", "Leipzig", "Calgary", "Valparaíso",
    "Siemens", "Vattenfall", "Unilever", "Grundfos", "Philips", "Nestlé", "Volvo", "Airbus", "Hitachi", "Endress",
    "Elbe", "Loire", "Andes", "Sardinia", "Uganda", "Bolivia", "Norwegen", "Estland", "Tasmania", "Kepler",
)  # fmt: skip
"""People, places, companies, rivers and countries that have the same name in English and German."""
