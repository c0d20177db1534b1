"""Content and typesetting of the drawn tables."""

from __future__ import annotations

from dataclasses import dataclass

from bench.layout.table_drawing import MadeTable, Style


@dataclass(frozen=True, slots=True)
class Placed:
    """A table at its position on the page. `in_column` is true if the page's text has two columns."""

    table: MadeTable
    caption: str = ""
    left: float = 60.0
    top: float = 210.0
    below: bool = False
    in_column: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """Text fragments, each with the position at which it begins."""

    texts: tuple[tuple[float, str], ...]
    font: str = "Times-Roman"


def _row(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_BOOK, _ALL, _NONE = Style("book"), Style("all"), Style()

_SCORES = MadeTable(
    [
        ("Method", "Development", "", "", "Test", "", ""),
        ("", "P", "R", "F1", "P", "R", "F1"),
        ("Baseline", "61.2", "58.4", "59.8", "60.1", "57.7", "58.9"),
        ("+ rules", "64.0", "60.9", "62.4", "63.3", "58.8", "61.0"),
        ("+ context", "70.5", "66.1", "68.2", "68.9", "65.0", "66.9"),
        ("+ both", "71.8", "69.3", "70.5", "70.2", "67.4", "68.8"),
        ("Ceiling", "92.0", "90.7", "91.3", "91.5", "90.2", "90.8"),
    ],
    (95, 50, 50, 50, 50, 50, 50),
    "lcccccc",
    _BOOK,
    header=2,
    across={(0, 1): 3, (0, 4): 3},
    lines=((0, 1, 3), (0, 4, 6)),
)

_PARTS = MadeTable(
    [
        ("Part", "Use", "Number", "Remark"),
        ("Seal ring", "keeps water out of\nthe motor housing", "44-120", ""),
        ("Impeller", "moves the water", "44-131", "check for cracks\nevery 500 hours"),
        ("Shaft", "", "44-140", ""),
        ("Bearing", "carries the shaft at\nboth of its ends", "44-152", "grease with type B"),
        ("Cover", "closes the housing", "", "torque 12 Nm"),
    ],
    (80, 130, 70, 120),
    "llll",
    _ALL,
)

_STOCK = MadeTable(
    [
        ("Site", "Pumps", "Valves", "Meters", "Staff"),
        ("Aberdeen", "14", "220", "31", "6"),
        ("Bergen", "9", "145", "18", "4"),
        ("Cadiz", "22", "310", "47", "11"),
        ("Danzig", "5", "80", "9", "2"),
        ("Esbjerg", "17", "264", "38", "8"),
        ("Faro", "3", "41", "6", "1"),
    ],
    (110, 70, 70, 70, 70),
    "lrrrr",
    Style(shaded=True),
)

_LEFT_ONE = MadeTable(
    [
        ("Oil", "Grade", "Litres"),
        ("Gear", "VG 220", "14.5"),
        ("Chain", "VG 100", "3.0"),
        ("Spindle", "VG 10", "0.8"),
    ],
    (70, 70, 60),
    "llr",
    _BOOK,
)
_RIGHT_ONE = MadeTable(
    [
        ("Filter", "Mesh", "Months"),
        ("Intake", "80 µm", "6"),
        ("Return", "25 µm", "12"),
        ("Breather", "10 µm", "24"),
    ],
    (70, 70, 60),
    "llr",
    _BOOK,
)

_NARROW = MadeTable(
    [
        ("Model", "Params", "Speed", "Loss"),
        ("Tiny", "14M", "310", "3.12"),
        ("Small", "60M", "142", "2.71"),
        ("Base", "220M", "55", "2.38"),
        ("Large", "770M", "17", "2.15"),
    ],
    (60, 55, 55, 55),
    "lrrr",
    _BOOK,
)

_UNITS = MadeTable(
    [
        ("Quantity", "Minimum", "Usual", "Maximum"),
        ("Supply voltage", "207 V", "230 V", "253 V"),
        ("Frequency", "49.5 Hz", "50 Hz", "50.5 Hz"),
        ("Water temperature", "4 °C", "15 °C", "35 °C"),
        ("Head", "2.5 m", "18 m", "32 m"),
        ("Flow", "0.2 m³/h", "6 m³/h", "9.5 m³/h"),
        ("Sound pressure", "", "58 dB(A)", "64 dB(A)"),
    ],
    (130, 80, 80, 80),
    "lrrr",
    _NONE,
)

_LEDGER = MadeTable(
    [
        ("", "2023", "2022", "Change"),
        ("Revenue", "$ 4,120", "$ 3,870", "6.5%"),
        ("Cost of sales", "(2,610)", "(2,540)", "2.8%"),
        ("Gross profit", "1,510", "1,330", "13.5%"),
        ("Selling expenses", "(420)", "(405)", "3.7%"),
        ("Other income", "—", "12", "n/a"),
        ("Operating result", "$ 1,090", "$ 937", "16.3%"),
    ],
    (160, 80, 80, 70),
    "lrrr",
    Style("book"),
    lines=((2, 1, 3), (5, 1, 3)),
)

_ROWS = MadeTable(
    [
        ("Fault", "Cause", "Remedy"),
        (
            "Pump does not start",
            "No supply, or the motor\nprotection has tripped",
            "Check fuses; let the\nmotor cool and reset it",
        ),
        ("Pump runs, no water", "Air in the suction line", "Vent the line and\nfill it again"),
        ("Noise", "Worn bearings", "Replace them"),
        ("Leak at the shaft", "Seal ring worn out\nor set in askew", "Replace the seal ring"),
    ],
    (110, 140, 140),
    "lll",
    Style("rows"),
)

_WRAPPED = MadeTable(
    [
        ("Step", "What is done", "Time"),
        (
            "Rinse",
            "The line is rinsed with cold water until the water\nthat comes out at its end is clear",
            "10 min",
        ),
        ("Soak", "The cleaner is pumped in and left to stand", "45 min"),
        (
            "Drain",
            "All valves are opened, the lowest of them first,\nand the pump is left running dry for"
            "\na few turns at most",
            "5 min",
        ),
        ("Check", "A sample is taken at each tap", "20 min"),
    ],
    (60, 270, 60),
    "llr",
    _BOOK,
)

_SPARSE = MadeTable(
    [
        ("Feature", "Basic", "Plus", "Pro"),
        ("Alarms", "yes", "yes", "yes"),
        ("Remote access", "", "yes", "yes"),
        ("Data export", "", "", "yes"),
        ("Support by phone", "", "yes", "yes"),
        ("Spare pump", "", "", "yes"),
    ],
    (130, 70, 70, 70),
    "lccc",
    _BOOK,
)

_GROUPS = MadeTable(
    [
        ("Region", "Year", "Orders", "Value"),
        ("North", "2021", "120", "4.1"),
        ("", "2022", "131", "4.6"),
        ("", "2023", "149", "5.2"),
        ("South", "2021", "88", "2.9"),
        ("", "2022", "90", "3.1"),
        ("", "2023", "97", "3.3"),
    ],
    (90, 70, 70, 70),
    "lccc",
    _BOOK,
    down={(1, 0): 3, (4, 0): 3},
    lines=((3, 0, 3),),
)

_WIDE = MadeTable(
    [
        _row("Month Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"),
        _row("Rain 78 61 55 48 52 60 66 71 74 80 85 82"),
        _row("Sun 41 66 110 155 190 198 205 187 140 95 52 38"),
        _row("Wind 6.1 5.9 5.5 5.0 4.6 4.3 4.2 4.3 4.8 5.4 5.8 6.2"),
        _row("Frost 14 12 8 3 0 0 0 0 0 2 7 12"),
    ],
    (40, *(24,) * 12),
    "l" + "r" * 12,
    Style("book", size=7.5, pad=2.5),
)

_GERMAN = MadeTable(
    [
        ("Baugröße", "Förderstrom", "Förderhöhe", "Gewicht"),
        ("", "[m³/h]", "[m]", "[kg]"),
        ("DN 25", "3,2 ± 0,1", "12,5", "8,4"),
        ("DN 32", "5,8 ± 0,2", "15,0", "11,0"),
        ("DN 40", "9,1 ± 0,2", "18,5", "14,7"),
        ("DN 50", "14,0 ± 0,4", "22,0", "21,3"),
    ],
    (90, 90, 90, 70),
    "lccr",
    _ALL,
    header=2,
)

_MERGED = MadeTable(
    [
        ("Type", "Power", "", "Mass"),
        ("", "idle", "full", ""),
        ("A 10", "0.2 kW", "1.1 kW", "21 kg"),
        ("A 20", "0.3 kW", "1.9 kW", "27 kg"),
        ("A 30", "0.3 kW", "2.6 kW", "34 kg"),
    ],
    (80, 80, 80, 80),
    "lccc",
    _ALL,
    header=2,
    across={(0, 1): 2},
    down={(0, 0): 2, (0, 3): 2},
)

TABLES: dict[str, list[Placed]] = {
    "booktabs, heads over three columns": [Placed(_SCORES, "Table 1: Scores of all methods in per cent.")],
    "all cells ruled, cells of two lines, empty cells": [Placed(_PARTS)],
    "every second row shaded, no rules": [Placed(_STOCK, "Table 2: What is kept at each site")],
    "two tables side by side": [
        Placed(_LEFT_ONE, "Table 3: Oils"),
        Placed(_RIGHT_ONE, "Table 4: Filters", left=310),
    ],
    "booktabs in one of two columns": [
        Placed(_NARROW, "Table 5: Models of four sizes.", top=200, below=True, in_column=True)
    ],
    "numbers with units, no rules": [Placed(_UNITS, "Table 6: Limits of use")],
    "ledger with sums": [Placed(_LEDGER, "Table 7: Statement in thousands")],
    "a rule below each row, cells of two lines": [Placed(_ROWS, "Table 8: Faults and their remedies")],
    "booktabs, cells of several lines": [Placed(_WRAPPED, "Table 9: Cleaning the lines")],
    "booktabs, most cells empty": [Placed(_SPARSE, "Table 10: What each plan has")],
    "labels over three rows": [Placed(_GROUPS, "Table 11: Orders by region")],
    "thirteen narrow columns": [Placed(_WIDE, "Table 12: The weather of a year")],
    "all cells ruled, units below the heads, German": [Placed(_GERMAN, "Tabelle 13: Baugrößen")],
    "all cells ruled, heads over rows and columns": [Placed(_MERGED)],
}

_CODE = (
    ("count = 0", "# pumps that run"),
    ("for pump in pumps:", "# each of the plant"),
    ("    if pump.runs:", "# and not only idles"),
    ("        count += 1", "# one more"),
    ("print(count)", "# how many there are"),
    ("log(count, now())", "# for the night shift"),
)
_REFERENCES = (
    "A. Miller and B. Stone. 2019. On the noise of pumps. Journal of Wells 12, 31–44.",
    "C. Rivers. 2021. Water under pressure. Harbour Press.",
    "D. Brook, E. Lake and F. Pond. 2020. Valves that last. In Proceedings of Flow, 7–15.",
    "G. Marsh. 2018. Grass and wind. Meadow Books.",
    "H. Ford. 2022. Crossing. Journal of Wells 15, 2–9.",
)
_ADDRESSES = (
    ("Harbour Works Ltd", "Northern Pump Service", "Valve Makers of Hull"),
    ("12 Quay Road", "Unit 7, Mill Lane", "3 Dock Street"),
    ("Aberdeen", "Leeds", "Hull"),
    ("harbour@example.org", "pumps@example.org", "valves@example.org"),
)

NO_TABLES: dict[str, list[Line]] = {
    "program with remarks at its side": [Line(((80, code), (260, note)), "Courier") for code, note in _CODE],
    "numbered references": [Line(((60, f"[{n}]"), (85, text))) for n, text in enumerate(_REFERENCES, 1)],
    "addresses side by side": [Line(tuple(zip((70, 230, 390), row, strict=True))) for row in _ADDRESSES],
}
