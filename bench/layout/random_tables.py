"""Any number of random tables, which vary in kinds of columns, styles, header rows, and empty and wrapped cells."""

from __future__ import annotations

import random
from collections.abc import Callable

from bench.layout.table_contents import Placed
from bench.layout.table_drawing import MadeTable, Style


def _words(text: str) -> list[str]:
    return text.split()


_NOUNS = _words("pump valve seal rotor shaft cover bearing motor gauge filter hose tank meter drain switch cable")
_VERBS = _words("holds turns carries closes opens keeps moves shows parts feeds cools cleans")
_HEADS = _words("Total Mean Share Output Length Price Score Count Weight Power Rate Depth Speed Level")
_RULES = ("none", "book", "rows", "all")
_WIDEST = 480.0
_LINE = 20
_GROUPED, _SHADED = 0.4, 0.25


def random_tables(count: int, seed: int) -> list[Placed]:
    """Return `count` tables, which are always the same for the same seed."""
    source = random.Random(seed)
    return [Placed(_table(source), f"Table {number}: Made at random") for number in range(1, count + 1)]


def _table(source: random.Random) -> MadeTable:
    columns, rows = source.randint(2, 8), source.randint(3, 12)
    kinds = [_label, *(source.choice(_KINDS) for _ in range(columns - 1))]
    empty = source.choice((0.0, 0.0, 0.1, 0.3))
    heads = source.sample(_HEADS, columns)
    body = []
    for _ in range(rows):
        entries = [kind(source) for kind in kinds]
        body.append([entries[0], *("" if source.random() < empty else entry for entry in entries[1:])])
    grouped = columns > 4 and source.random() < _GROUPED
    across = {(0, 1): 2, (0, 3): columns - 3} if grouped else {}
    top = [["", "Before", "", "After", *[""] * (columns - 4)]] if grouped else []
    table = [*top, heads, *body]
    size = source.choice((8.0, 9.0, 10.0))
    longest = [max(len(line) for row in table[len(top) :] for line in row[n].split("\n")) for n in range(columns)]
    widths = [0.56 * size * length + source.choice((10, 16, 30)) for length in longest]
    scale = min(1.0, _WIDEST / sum(widths))
    rules = source.choice(_RULES)
    style = Style(rules, rules != "all" and source.random() < _SHADED, size * scale, 4.0, source.random() < _GROUPED)
    align = "l" + "".join("l" if kind is _prose else source.choice("rrc") for kind in kinds[1:])
    lines = ((0, 1, 2), (0, 3, columns - 1)) if grouped and rules == "book" else ()
    return MadeTable(table, [width * scale for width in widths], align, style, len(top) + 1, across, {}, lines)


def _label(source: random.Random) -> str:
    return " ".join(source.sample(_NOUNS, source.choice((1, 1, 2, 3)))).capitalize()


def _whole(source: random.Random) -> str:
    return f"{source.randint(0, 30_000):,}"


def _decimal(source: random.Random) -> str:
    return f"{source.uniform(0, 100):.2f}"


def _change(source: random.Random) -> str:
    return f"{source.choice('+-')}{source.uniform(0, 9):.1f}%"


def _measure(source: random.Random) -> str:
    return f"{source.randint(1, 400)} {source.choice(('mm', 'kW', 'kg'))}"


def _spread(source: random.Random) -> str:
    return f"{source.uniform(0, 9):.1f} ± {source.uniform(0, 1):.1f}"


def _mark(source: random.Random) -> str:
    return source.choice(("yes", "no", "n/a"))


def _day(source: random.Random) -> str:
    return f"{source.randint(1, 28):02d}/{source.randint(1, 12):02d}/2023"


def _prose(source: random.Random) -> str:
    words = [source.choice(_VERBS), "the", *source.sample(_NOUNS, source.choice((1, 2, 4, 6)))]
    rows, row = [], ""
    for word in words:
        if row and len(row) + len(word) >= _LINE:
            rows.append(row)
            row = ""
        row = f"{row} {word}".strip()
    return "\n".join([*rows, row])


_KINDS: tuple[Callable[[random.Random], str], ...] = (
    _whole, _decimal, _change, _measure, _spread, _mark, _day, _prose,
)  # fmt: skip
