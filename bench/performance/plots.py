"""Which drawings the page has, each from the rows of one bench."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bench.performance import bars, lines
from bench.performance.records import Record, Row


@dataclass(frozen=True)
class Plot:
    """`draw` gives the SVG, or nothing where the record has no row for it."""

    bench: str
    title: str
    draw: Callable[[str, Record], str]

    def svg(self, record: Record) -> str:
        return self.draw(self.title, record)


def of_lines(
    part: str, across: tuple[str, str], up: tuple[str, str], names: Sequence[str], **only: object
) -> Callable[[str, Record], str]:
    """`across` and `up` are a column and its words; `names` are the columns that tell one line from another."""

    def draw(title: str, record: Record) -> str:
        series: dict[str, list[tuple[float, float]]] = {}
        for row in chosen(record, part, up[0], only):
            series.setdefault(named(row, names), []).append((float(row[across[0]]), float(row[up[0]])))
        return lines.chart(title, across[1], up[1], series, logarithmic=True) if series else ""

    return draw


def of_bars(
    part: str, unit: str, columns: Mapping[str, str], names: Sequence[str], *, logarithmic: bool = False,
    digits: int = 0, **only: object,
) -> Callable[[str, Record], str]:  # fmt: skip
    """`columns` are those drawn, with the words of the legend."""

    def draw(title: str, record: Record) -> str:
        groups = {
            named(row, names): {
                words: float(row[column]) for column, words in columns.items() if column in row
            }
            for row in chosen(record, part, next(iter(columns)), only)
        }
        return bars.chart(title, unit, groups, logarithmic=logarithmic, digits=digits) if groups else ""

    return draw


def chosen(record: Record, part: str, column: str, only: Mapping[str, object]) -> list[Row]:
    rows = [row for row in record.part(part) if row.get(column) is not None]
    return [row for row in rows if all(row.get(name) == value for name, value in only.items())]


def named(row: Row, names: Sequence[str]) -> str:
    return ", ".join(str(row[name]) for name in names if row.get(name) not in (None, ""))


SERVER = ("server", "mode")
PLOTS: dict[str, Plot] = {
    "peers-pages": Plot(
        "peers",
        "The right page among the first 1, 5 and 10 pages found",
        of_bars(
            "pages", "share of questions", {f"page_hit@{k}": f"first {k}" for k in (1, 5, 10)}, SERVER, digits=2
        ),
    ),
    "peers-search": Plot(
        "peers",
        "A search over growing numbers of pages, 95th of a hundred",
        of_lines("passages", ("passages", "pages, a passage each"), ("search_ms_p95", "ms"), SERVER),
    ),
    "peers-start": Plot(
        "peers",
        "From the start of the process to the answer to initialize, the middle of nine",
        of_bars("start", "ms", {"initialize_ms_p50": "initialize"}, SERVER),
    ),
    "peers-ingest": Plot(
        "peers",
        "Reading growing numbers of pages",
        of_lines("passages", ("passages", "pages, a passage each"), ("ingest_s", "seconds"), SERVER),
    ),
}  # fmt: skip
