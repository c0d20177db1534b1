"""The numbers of an evaluation as a table for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from corpus.evaluation.measures import Compared, Measured
from corpus.evaluation.run import Run, difference
from server.commands.shown import marked_up

NO_DATA = "—"


def table(runs: Sequence[Run]) -> Table:
    """A row a measure: the mean with its 95 % interval, of times the median and the 95th percentile."""
    shown = Table(box=None, pad_edge=False, header_style="bold")
    shown.add_column("measure")
    for run in runs:
        shown.add_column(marked_up(run.name), justify="right")
    if len(runs) > 1:
        shown.add_column("difference", justify="right")
    shown.add_column("questions", justify="right")
    apart = {one.measure.name: one for one in difference(runs)}
    measured = [{one.measure.name: one for one in run.measured} for run in runs]
    for name in dict.fromkeys(name for one in measured for name in one):
        cells = [value(one.get(name)) for one in measured]
        cells += [_apart(apart.get(name))] if len(runs) > 1 else []
        count = next(one[name].count for one in measured if name in one)
        shown.add_row(name, *cells, str(count))
    return shown


def value(one: Measured | None) -> str:
    if one is None:
        return NO_DATA
    if one.measure.unit == "ms":
        return f"{one.median:.0f} / {one.p95:.0f} ms"
    spread = one.interval
    return f"{spread.mean:.3f}" + ("" if spread.low is None else f" ({spread.low:.2f} to {spread.high:.2f})")


def _apart(one: Compared | None) -> str:
    if one is None:
        return NO_DATA
    spread, digits = one.difference, 0 if one.measure.unit == "ms" else 3
    return f"{spread.mean:+.{digits}f}" + ("" if spread.excludes_zero else " (within chance)")
