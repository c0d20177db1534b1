"""Common parts of the tables of several benches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.questions import Question


def groups(asked: Sequence[Question]) -> list[tuple[str, str, list[int]]]:
    """Return the name, the language and the questions of each set, of each language, and of all sets together."""
    sets = list(dict.fromkeys(q.set_name for q in asked))
    languages = sorted({q.language for q in asked})
    found = [(name, "all", [n for n, q in enumerate(asked) if q.set_name == name]) for name in sets]
    found += [("all", language, [n for n, q in enumerate(asked) if q.language == language]) for language in languages]
    return [*found, ("pooled", "all", list(range(len(asked))))]


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def of_rows(rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> str:
    """Return a table of a record's rows with the given columns, except columns that no row has."""
    shown = [column for column in columns if any(row.get(column) is not None for row in rows)]
    return table([heading(column) for column in shown], [[cell(row.get(column)) for column in shown] for row in rows])


def by_part(rows: Sequence[Mapping[str, object]]) -> str:
    """Return a table for each `part` of a record's rows."""
    tables = []
    for part in dict.fromkeys(row.get("part") for row in rows):
        of_it = [row for row in rows if row.get("part") == part]
        columns = dict.fromkeys(column for row in of_it for column in row if column != "part")
        tables.append(f"{part}\n\n{of_rows(of_it, [*columns])}")
    return "\n\n".join(tables)


def heading(column: str) -> str:
    """Convert a column name such as `search_cpu_ms_p95` to a readable heading."""
    return column.replace("_", " ")


def cell(value: object) -> str:
    """Format a value. Numbers have three significant digits, because further digits are not reproducible."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
