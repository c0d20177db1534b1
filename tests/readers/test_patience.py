"""Time limits of a reading process: its own CPU time counts, and wall-clock time only if it does no work."""

from __future__ import annotations

from dataclasses import dataclass

from corpus.readers.protocol import Limits
from corpus.readers.sandbox.worker import Watchdog

LIMITS = Limits(silent_seconds=60, still_seconds=900, total_seconds=3600)


@dataclass
class Machine:
    """A simulated machine: seconds that passed, and CPU seconds of the process in them."""

    now: float = 0.0
    worked: float | None = 0.0

    def spend(self, seconds: float, work: float = 0.0) -> None:
        self.now += seconds
        if self.worked is not None:
            self.worked += work

    def patience(self) -> Watchdog:
        return Watchdog(LIMITS, lambda: self.worked, lambda: self.now)


def reason(patience: Watchdog) -> str | None:
    over = patience.exceeded()
    return over.reason if over else None


def test_a_page_with_a_fiftieth_of_the_processor_gets_fifty_times_as_long() -> None:
    machine = Machine()
    patience = machine.patience()
    for _ in range(290):
        machine.spend(10, work=0.2)
        assert patience.exceeded() is None
    machine.spend(200, work=4)
    assert reason(patience) == "took more than 60 s"


def test_an_idle_process_is_ended_after_its_wall_clock_limit() -> None:
    machine = Machine()
    patience = machine.patience()
    machine.spend(880, work=1)
    assert patience.exceeded() is None
    machine.spend(880)
    assert patience.exceeded() is None
    machine.spend(40)
    assert reason(patience) == "made no progress for more than 900 s"


def test_a_sign_of_life_begins_the_next_page() -> None:
    machine = Machine()
    patience = machine.patience()
    machine.spend(59, work=59)
    patience.heard()
    machine.spend(59, work=59)
    assert patience.exceeded() is None


def test_signs_of_life_do_not_extend_a_file_forever() -> None:
    working, starving = Machine(), Machine()
    at_work, at_rest = working.patience(), starving.patience()
    for _ in range(361):
        working.spend(10, work=10)
        at_work.heard()
        starving.spend(100)
        at_rest.heard()
    assert reason(at_work) == "took more than 3600 s"
    assert reason(at_rest) == "took more than 36000 s"


def test_without_cpu_times_only_the_wall_clock_counts() -> None:
    machine = Machine(worked=None)
    patience = machine.patience()
    machine.spend(899)
    assert patience.exceeded() is None
    machine.spend(2)
    assert reason(patience) == "made no progress for more than 900 s"
