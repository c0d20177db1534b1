"""How long vectors take, in words: a range before the first ones, the measured speed after."""

from __future__ import annotations

FASTEST, SLOWEST = 10.0, 1.5
"""Passages a second that the packaged model embeds, on a fast machine with nothing else to do and on a slow one."""
_MINUTE = 60.0


def before(passages: int) -> str:
    """`1 to 5 minutes`"""
    least, most = (_minutes(passages / speed) for speed in (FASTEST, SLOWEST))
    if most <= 1:
        return "about a minute at most"
    if least < 1:
        return f"up to {most} minutes"
    return f"{least} to {most} minutes" if least < most else f"about {_counted(most)}"


def measured(done: int, total: int, seconds: float) -> str:
    """What is left at the speed so far."""
    left = seconds / max(done, 1) * (total - done)
    if left < 1.5 * _MINUTE:
        return f"about {max(1, round(left / 10)) * 10} seconds"
    return f"about {_counted(_minutes(left))}"


def _minutes(seconds: float) -> int:
    return round(seconds / _MINUTE)


def _counted(minutes: int) -> str:
    return "a minute" if minutes == 1 else f"{minutes} minutes"
