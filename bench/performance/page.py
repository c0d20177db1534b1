"""docs/performance.md: its prose is written by hand, and the content between its marks is built from the records.

A mark is an HTML comment, `<!-- begin: WHAT -->` to `<!-- end -->`, where WHAT is one of:

- `circumstances BENCH`: command, day, machine, load and versions;
- `table BENCH [PART] [| columns: A, B] [| only: K=V, …] [| beside: K=V | of: A | same: B]`: the rows of a part; the
  last three add the ratio of each row's number `of` to that of the row with K=V, among rows with the `same` B;
- `shares BENCH`: the time in a profile, by owner of the functions;
- `plot NAME`: a drawing of `bench.performance.plots`;
- `others`: every bench that the page does not mention elsewhere, completely.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from bench.performance.mark import Mark, rows_of
from bench.performance.plots import PLOTS
from bench.performance.records import Record
from bench.performance.shares import shares
from bench.tables import of_rows

MARKED = re.compile(r"(<!-- begin: (?P<what>[^>]+?) -->\n).*?(<!-- end -->)", re.DOTALL)
NONE_YET = "Not in bench/results yet."


def filled(page: str, records: Mapping[str, Record]) -> str:
    """Return the page with the content of each mark replaced."""
    marks = [Mark.of(match["what"]) for match in MARKED.finditer(page)]
    named = {PLOTS[mark.name].bench if mark.kind == "plot" else mark.name for mark in marks}

    def made(match: re.Match[str]) -> str:
        return f"{match[1]}\n{_made(Mark.of(match['what']), records, named)}\n\n{match[3]}"

    return MARKED.sub(made, page)


def _made(mark: Mark, records: Mapping[str, Record], named: set[str]) -> str:
    if mark.kind == "others":
        left = [_whole(record) for name, record in records.items() if name not in named]
        return "\n\n".join(left) or NONE_YET
    if mark.kind == "plot":
        plot = PLOTS[mark.name]
        drawn = plot.bench in records and plot.svg(records[plot.bench])
        return f"![{plot.title}](performance/{mark.name}.svg)" if drawn else NONE_YET
    if mark.name not in records:
        return NONE_YET
    if mark.kind == "circumstances":
        return records[mark.name].circumstances()
    if mark.kind == "shares":
        return shares(records[mark.name])
    rows, columns = rows_of(mark, records[mark.name])
    return of_rows(rows, columns) if rows else NONE_YET


def _whole(record: Record) -> str:
    tables = []
    for part in record.parts():
        rows, columns = rows_of(Mark("table", record.name, part, {}), record)
        tables += [*([f"**{part}**"] if part else []), of_rows(rows, columns)]
    return "\n\n".join([f"### {record.name}", record.circumstances(), *tables])
