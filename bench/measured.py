"""Times of repeated work: CPU time, which other processes hardly influence, and wall time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

import numpy as np

WARMING = 5


@dataclass(frozen=True, slots=True)
class Times:
    """Times in milliseconds. CPU time is the total of all threads of this process."""

    cpu_min_ms: float
    cpu_p50_ms: float
    cpu_p95_ms: float
    wall_p50_ms: float
    wall_p95_ms: float

    def row(self) -> dict[str, str | int | float | bool | None]:
        return {name: round(value, 2) for name, value in asdict(self).items()}


def measured(work: Callable[[int], object], count: int) -> Times:
    """Measure the work, which receives the number of the run. The first few runs are a warm-up and do not count."""
    for n in range(min(WARMING, count)):
        work(-1 - n)
    cpu, wall = [], []
    for n in range(count):
        before, clock = time.process_time(), time.perf_counter()
        work(n)
        cpu.append((time.process_time() - before) * 1000)
        wall.append((time.perf_counter() - clock) * 1000)
    return spread(cpu, wall)


def spread(cpu: list[float], wall: list[float]) -> Times:
    return Times(
        min(cpu),
        *(float(np.percentile(of, part)) for of, part in ((cpu, 50), (cpu, 95), (wall, 50), (wall, 95))),
    )
