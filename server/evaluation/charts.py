"""The plots of a report, drawn as SVG whose colours come from the page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from corpus.evaluation.measures import Measured

WIDTH, LEFT, RIGHT, ROW, BAR = 720, 190, 60, 34, 10
BINS = 24


def bars(runs: Sequence[tuple[str, Sequence[Measured]]]) -> str:
    """The shares of each run as bars from 0 to 1, each with its interval."""
    names = list(
        dict.fromkeys(one.measure.name for _, rows in runs for one in rows if one.measure.unit == "share")
    )
    room, height = WIDTH - LEFT - RIGHT, 24 + ROW * len(names)
    parts = [
        f'<line class="grid" x1="{_x(at, room)}" x2="{_x(at, room)}" y1="6" y2="{height - 18}"/>'
        f'<text class="tick" x="{_x(at, room)}" y="{height - 4}" text-anchor="middle">{at:g}</text>'
        for at in (0, 0.25, 0.5, 0.75, 1)
    ]
    for row, name in enumerate(names):
        top = 8 + ROW * row
        parts.append(
            f'<text class="label" x="{LEFT - 10}" y="{top + 15}" text-anchor="end">{escape(name)}</text>'
        )
        for n, (_, rows) in enumerate(runs):
            found = next((one for one in rows if one.measure.name == name), None)
            if found:
                parts.append(
                    _bar(found, n, top + 2 + n * (BAR + 2) + (BAR // 2 if len(runs) == 1 else 0), room)
                )
    said = "; ".join(
        f"{name}: "
        + ", ".join(
            f"{one.measure.name} {one.interval.mean:.2f}" for one in rows if one.measure.unit == "share"
        )
        for name, rows in runs
    )
    return _svg(height, parts, f"Shares with their 95 % intervals. {said}")


def times(runs: Sequence[tuple[str, Sequence[float]]], what: str) -> str:
    """How often each time was needed, from 0 to the longest, in milliseconds."""
    longest = max((value for _, values in runs for value in values), default=0.0)
    if not longest:
        return ""
    height, base, room = 170, 140, WIDTH - 40 - RIGHT
    parts, step = [], room / BINS
    counts = [_counts(values, longest) for _, values in runs]
    most = max(max(count) for count in counts)
    for n, count in enumerate(counts):
        for place, many in enumerate(count):
            tall = 120 * many / most
            wide = (step - 2) / len(runs)
            parts.append(
                f'<rect class="run{n}" x="{40 + place * step + n * wide:.1f}" y="{base - tall:.1f}" '
                f'width="{wide:.1f}" height="{tall:.1f}"/>'
            )
    parts.append(f'<line class="axis" x1="40" x2="{40 + room}" y1="{base}" y2="{base}"/>')
    for at in (0, 0.5, 1):
        x, said = 40 + room * at, f"{longest * at:.0f} ms"
        parts.append(f'<text class="tick" x="{x:.0f}" y="{base + 18}" text-anchor="middle">{said}</text>')
    parts.append(f'<text class="tick" x="34" y="26" text-anchor="end">{most}</text>')
    return _svg(height, parts, f"{what}: how many questions took how many milliseconds, up to {longest:.0f}.")


def _counts(values: Sequence[float], longest: float) -> list[int]:
    count = [0] * BINS
    for value in values:
        count[min(int(value / longest * BINS), BINS - 1)] += 1
    return count


def _bar(one: Measured, run: int, top: float, room: int) -> str:
    spread = one.interval
    drawn = f'<rect class="run{run}" x="{LEFT}" y="{top}" width="{max(spread.mean * room, 1):.1f}" height="{BAR}"/>'
    if spread.low is not None and spread.high is not None:
        middle = top + BAR / 2
        drawn += (
            f'<line class="spread" x1="{_x(spread.low, room)}" x2="{_x(spread.high, room)}" '
            f'y1="{middle}" y2="{middle}"/>'
        )
    return (
        drawn + f'<text class="value" x="{WIDTH - RIGHT + 12}" y="{top + BAR - 1}">{spread.mean:.2f}</text>'
    )


def _x(at: float, room: int) -> str:
    return f"{LEFT + at * room:.1f}"


def _svg(height: float, parts: Sequence[str], said: str) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(said, quote=True)}">'
        f"{''.join(parts)}</svg>"
    )
