"""Fractions of a profile by owner of the code."""

from __future__ import annotations

from bench.performance.records import Record
from bench.tables import table

OURS = ("corpus/", "server/", "tools/", "prompts/")


def shares(record: Record) -> str:
    """Return the time spent in the profiled functions themselves, by owner."""
    taken: dict[str, float] = {}
    for row in record.rows:
        whose = owner(str(row["function"]))
        taken[whose] = taken.get(whose, 0.0) + float(row["own_ms"])
    whole = sum(taken.values()) or 1.0
    rows = [
        [whose, f"{ms:.1f}", f"{100 * ms / whole:.0f} %"]
        for whose, ms in sorted(taken.items(), key=lambda one: -one[1])
    ]
    return table(["whose functions", "own ms", "share of those listed"], rows)


def owner(function: str) -> str:
    """Return the owner of a function: Ibid, a compiled library (whose methods have no file), or a Python library."""
    if function.startswith(OURS):
        return "Ibid"
    return "compiled: simsimd, tantivy, numpy, SQLite, Python itself" if function.startswith("<") else "other Python"
