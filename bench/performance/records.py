"""Records that the benches stored."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.record import RESULTS

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Record:
    """One file in bench/results. See `bench.record.write`."""

    name: str
    command: str
    date: str
    machine: Mapping[str, Any]
    versions: Mapping[str, str]
    rows: Sequence[Row]

    def part(self, part: str) -> list[Row]:
        """Return the rows of one table, or all rows if the bench has only one table."""
        return [row for row in self.rows if row.get("part", "") == part]

    def parts(self) -> list[str]:
        return list(dict.fromkeys(row.get("part", "") for row in self.rows))

    def circumstances(self) -> str:
        machine, versions = self.machine, self.versions
        before = f" {machine['load_before']} at the beginning," if "load_before" in machine else ""
        load = f"; load{before} {machine['load_after']} at the end" if "load_after" in machine else ""
        where = f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gb']} GB, {machine['system']}"
        what = ", ".join(f"{name} {version}" for name, version in versions.items())
        return f"`{self.command}`, {self.date}. {where}{load}. {what}."


def kept(folder: Path = RESULTS) -> dict[str, Record]:
    """Return the records by name, in alphabetical order."""
    found = {}
    for file in sorted(folder.glob("*.json")):
        read = json.loads(file.read_text(encoding="utf-8"))
        fields = ("name", "command", "date", "machine", "versions", "rows")
        found[file.stem] = Record(**{field: read[field] for field in fields})
    return found
