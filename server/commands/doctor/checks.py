"""Run one check of `ibid doctor` within a time limit, and turn its outcome into a finding."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from time import perf_counter

import anyio

from corpus.diagnostics import Finding
from corpus.errors import IbidError

Say = Callable[[Finding], None]


def failed_check(part: str, error: IbidError) -> Finding:
    """A planned failure with its hints, without the one that says to run this command."""
    hints = [one for one in error.hints if "`ibid doctor`" not in one]
    return Finding("failed", part, str(error), " ".join(hints))


async def run_check(part: str, work: Callable[[], Awaitable[Finding]], *, seconds: float) -> Finding:
    """What the work found; a planned failure and a wait that is too long are findings too."""
    try:
        with anyio.fail_after(seconds):
            return await work()
    except TimeoutError:
        cure = "Something in between may drop connections: a firewall, a proxy, a VPN."
        return Finding("failed", part, f"no answer within {seconds:.0f} seconds", cure)
    except IbidError as error:
        return failed_check(part, error)


class Clock:
    """Milliseconds since it was made."""

    def __init__(self) -> None:
        self._started = perf_counter()

    def __str__(self) -> str:
        return f"{(perf_counter() - self._started) * 1000:.0f} ms"
