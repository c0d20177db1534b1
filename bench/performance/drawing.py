"""Convert the rows of a record to a drawing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bench.performance import bars, lines
from bench.performance.records import Record, Row

Draw = Callable[[str, Record], str]
"""Function that returns the SVG for a title and a record, or an empty string if the record has no row for it."""


def of_lines(part: str, across: tuple[str, str], up: tuple[str, str], names: Sequence[str], **only: object) -> Draw:
    """Return a function that draws lines. `across` and `up` each consist of a column and its label. `names` are the
    columns that distinguish the lines. `only` selects rows by the values of columns; rows without such a column are
    also selected. `part` may list several parts, separated by commas."""

    def draw(title: str, record: Record) -> str:
        series: dict[str, list[tuple[float, float]]] = {}
        for row in chosen(record, part, up[0], only):
            series.setdefault(named(row, names), []).append((float(row[across[0]]), float(row[up[0]])))
        return lines.chart(title, across[1], up[1], series, logarithmic=True) if series else ""

    return draw


def of_bars(
    part: str, unit: str, columns: Mapping[str, str], names: Sequence[str], *, digits: int = 0,
    **only: object,
) -> Draw:  # fmt: skip
    """Return a function that draws bars. `columns` maps the drawn columns to the labels of the legend."""

    def draw(title: str, record: Record) -> str:
        groups = {
            named(row, names): {words: float(row[column]) for column, words in columns.items() if column in row}
            for row in chosen(record, part, next(iter(columns)), only)
        }
        return bars.chart(title, unit, groups, digits=digits) if groups else ""

    return draw


def chosen(record: Record, part: str, column: str, only: Mapping[str, object]) -> list[Row]:
    rows = [row for name in part.split(",") for row in record.part(name) if row.get(column) is not None]
    return [row for row in rows if all(row.get(name, value) == value for name, value in only.items())]


def named(row: Row, names: Sequence[str]) -> str:
    return ", ".join(str(row[name]) for name in names if row.get(name) not in (None, ""))
