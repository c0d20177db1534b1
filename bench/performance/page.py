"""docs/performance.md: its prose is written by hand, what stands between its marks is made from the records.

A mark is an HTML comment, `<!-- begin: NAME -->` to `<!-- end -->`, where NAME is

- `circumstances BENCH`: command, day, machine, load and versions;
- `table BENCH [PART] [| COLUMN, …]`: the rows of a part, in these columns or in all;
- `plot NAME`: a drawing of `bench.performance.plots`;
- `others`: every bench that the page names nowhere else, whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from bench.performance.plots import PLOTS
from bench.performance.records import Record
from bench.tables import of_rows

MARKED = re.compile(r"(<!-- begin: (?P<what>[^>]+?) -->\n).*?(<!-- end -->)", re.DOTALL)
PART = "part"


def filled(page: str, records: Mapping[str, Record]) -> str:
    """The page with each marked place made anew."""
    named = {match["what"].split()[1] for match in MARKED.finditer(page) if " " in match["what"]}

    def made(match: re.Match[str]) -> str:
        return f"{match[1]}\n{_made(match['what'], records, named)}\n\n{match[3]}"

    return MARKED.sub(made, page)


def _made(what: str, records: Mapping[str, Record], named: set[str]) -> str:
    kind, _, rest = what.partition(" ")
    if kind == "others":
        return "\n\n".join(_whole(record) for name, record in records.items() if name not in named)
    if kind == "plot":
        plot = PLOTS[rest]
        drawn = plot.bench in records and plot.svg(records[plot.bench])
        return f"![{plot.title}](performance/{rest}.svg)" if drawn else _missing(plot.bench)
    place, _, columns = rest.partition(" | ")
    bench, _, part = place.partition(" ")
    if bench not in records:
        return _missing(bench)
    if kind == "circumstances":
        return records[bench].circumstances()
    return _table(records[bench].part(part), [name.strip() for name in columns.split(",") if name.strip()])


def _missing(bench: str) -> str:
    return f"Not measured yet: `python -m bench {bench} --write`."


def _whole(record: Record) -> str:
    tables = [
        f"**{part}**\n\n{_table(record.part(part))}" if part else _table(record.part(part))
        for part in record.parts()
    ]
    return "\n\n".join([f"### {record.name}", record.circumstances(), *tables])


def _table(rows: Sequence[Mapping[str, object]], columns: Sequence[str] = ()) -> str:
    every = dict.fromkeys(column for row in rows for column in row if column != PART)
    return of_rows(rows, columns or list(every))
