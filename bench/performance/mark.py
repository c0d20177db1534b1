"""Parse a mark in the page, and find its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.performance.records import Record, Row


@dataclass(frozen=True)
class Mark:
    kind: str
    name: str
    part: str
    options: Mapping[str, str]

    @classmethod
    def of(cls, what: str) -> Mark:
        head, *options = (words.strip() for words in what.split("|"))
        kind, name, part = (*head.split(" ", 2), "", "")[:3]
        pairs = (option.split(":", 1) for option in options)
        return cls(kind, name, part, {key.strip(): value.strip() for key, value in pairs})

    def listed(self, option: str) -> list[str]:
        return [name.strip() for name in self.options.get(option, "").split(",") if name.strip()]

    def conditions(self, option: str) -> dict[str, str]:
        return {key: value for key, _, value in (pair.partition("=") for pair in self.listed(option))}


def rows_of(mark: Mark, record: Record) -> tuple[list[Row], Sequence[str]]:
    """Return the rows, and their columns in display order."""
    rows: list[Row] = [row for row in record.part(mark.part) if _meets(row, mark.conditions("only"))]
    columns = mark.listed("columns") or [*dict.fromkeys(name for row in rows for name in row if name != "part")]
    if "beside" not in mark.options:
        return rows, columns
    title, number = f"times {mark.options['beside'].partition('=')[2]}", mark.options["of"]
    references = [row for row in record.rows if _meets(row, mark.conditions("beside"))]
    ratios = [_ratio(row, references, number, mark.listed("same")) for row in rows]
    return [{**row, title: ratio} for row, ratio in zip(rows, ratios, strict=True)], [*columns, title]


def _ratio(row: Row, references: Sequence[Row], number: str, same: Sequence[str]) -> float | None:
    mine = [one for one in references if all(one.get(name) == row.get(name) for name in same)]
    return row[number] / mine[0][number] if mine and row.get(number) is not None else None


def _meets(row: Mapping[str, Any], conditions: Mapping[str, str]) -> bool:
    return all(str(row.get(name)) == value for name, value in conditions.items())
