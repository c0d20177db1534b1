"""The numbers of an evaluation as a table for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from corpus.evaluation.measures import Compared, Measured
from corpus.evaluation.run import APART, Run, bearing, difference
from server.commands.shown import marked_up

NO_DATA = "—"


def table(runs: Sequence[Run]) -> Table:
    """A row a measure: the mean, of times the median and the 95th percentile, with the 95 % interval of a single run
    or of the difference of two."""
    shown = Table(box=None, pad_edge=False, header_style="bold")
    shown.add_column("measure", no_wrap=True)
    for heading in ("as set", "changed")[: len(runs)]:
        shown.add_column(heading, justify="right", no_wrap=True)
    if len(runs) > 1:
        shown.add_column("difference", justify="right", no_wrap=True)
        shown.add_column("95 %", justify="right", no_wrap=True)
        shown.caption = f"changed: {marked_up(runs[1].name)}\n* more than chance: the interval excludes zero"
        shown.caption_justify = "left"
    shown.add_column("questions", justify="right", no_wrap=True)
    apart = {one.measure.name: one for one in difference(runs)}
    partly = False
    measured = [{one.measure.name: one for one in run.measured} for run in runs]
    for name in dict.fromkeys(name for one in measured for name in one):
        cells = [_value(one.get(name), alone=len(runs) == 1) for one in measured]
        cells += _apart(apart.get(name)) if len(runs) > 1 else []
        count = bearing([one.get(name) for one in measured], apart.get(name))
        partly = partly or "(" in count
        shown.add_row(name, *cells, count)
    if partly:
        shown.caption = f"{shown.caption}\n{APART}"
    return shown


def _value(one: Measured | None, *, alone: bool) -> str:
    if one is None:
        return NO_DATA
    if one.measure.unit == "ms":
        return f"{one.median:.0f} / {one.p95:.0f}"
    spread = one.interval
    shown = alone and spread.low is not None
    return f"{spread.mean:.3f}" + (f" ({spread.low:.2f} to {spread.high:.2f})" if shown else "")


def _apart(one: Compared | None) -> list[str]:
    """The difference, and its interval."""
    if one is None:
        return [NO_DATA, ""]
    spread, digits = one.difference, 0 if one.measure.unit == "ms" else 2
    mark = "*" if spread.excludes_zero else " "
    about = "" if spread.low is None else f"{spread.low:+.{digits}f} {spread.high:+.{digits}f}"
    return [f"{spread.mean:+.{digits}f}{mark}", about]
