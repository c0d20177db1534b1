"""Print the numbers of an evaluation as a table."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from corpus.evaluation.metrics import Comparison, Measurement
from corpus.evaluation.run import APART, Run, bearing, difference
from server.commands.terminal.terminal_escape import marked_up

NO_DATA = "—"


def table(runs: Sequence[Run]) -> Table:
    """A row a measure: the mean, of times the median and the 95th percentile, with the 95 % interval of a single run
    or of the difference of two."""
    rows = Table(box=None, pad_edge=False, header_style="bold")
    rows.add_column("measure", no_wrap=True)
    for heading in ("as set", "changed")[: len(runs)]:
        rows.add_column(heading, justify="right", no_wrap=True)
    if len(runs) > 1:
        rows.add_column("difference", justify="right", no_wrap=True)
        rows.add_column("95 %", justify="right", no_wrap=True)
        rows.caption = f"changed: {marked_up(runs[1].name)}\n* more than chance: the interval excludes zero"
        rows.caption_justify = "left"
    rows.add_column("questions", justify="right", no_wrap=True)
    apart = {one.measure.name: one for one in difference(runs)}
    partly = False
    measured = [{one.measure.name: one for one in run.measured} for run in runs]
    for name in dict.fromkeys(name for one in measured for name in one):
        cells = [_value(one.get(name), alone=len(runs) == 1) for one in measured]
        cells += _apart(apart.get(name)) if len(runs) > 1 else []
        count = bearing([one.get(name) for one in measured], apart.get(name))
        partly = partly or "(" in count
        rows.add_row(name, *cells, count)
    if partly:
        rows.caption = f"{rows.caption}\n{APART}"
    return rows


def _value(value: Measurement | None, *, alone: bool) -> str:
    if value is None:
        return NO_DATA
    if value.measure.unit == "ms":
        return f"{value.median:.0f} / {value.p95:.0f}"
    spread = value.interval
    has_interval = alone and spread.low is not None
    return f"{spread.mean:.3f}" + (f" ({spread.low:.2f} to {spread.high:.2f})" if has_interval else "")


def _apart(compared: Comparison | None) -> list[str]:
    """The difference, and its interval."""
    if compared is None:
        return [NO_DATA, ""]
    spread, digits = compared.difference, 0 if compared.measure.unit == "ms" else 2
    mark = "*" if spread.excludes_zero else " "
    about = "" if spread.low is None else f"{spread.low:+.{digits}f} {spread.high:+.{digits}f}"
    return [f"{spread.mean:+.{digits}f}{mark}", about]
