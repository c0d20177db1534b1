"""Print a short table of CPU time by function: `python -m bench profile search`.

Each workload is a module here with `prepared(arguments)`, which returns a callable and its number of runs. To add a
workload, add its name to `WORKS`. The profiler makes small functions look more expensive than they are.
"""

from __future__ import annotations

import argparse
import cProfile
import importlib
import os
import pstats
import time
from pathlib import Path

import structlog

from bench import record
from bench.record import Row
from bench.tables import of_rows

WORKS = ("search", "ingestion")
MOST = 25
ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    arguments = argparse.ArgumentParser(prog="bench profile", description=__doc__)
    arguments.add_argument("work", choices=WORKS)
    chosen, rest = arguments.parse_known_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    load = os.getloadavg()[0]
    call, times = importlib.import_module(f"bench.profile.{chosen.work}").prepared(rest)
    profiler = cProfile.Profile(time.process_time)
    profiler.enable()
    for _ in range(times):
        call()
    profiler.disable()
    rows = dearest(pstats.Stats(profiler), times)
    print(of_rows(rows, [*rows[0]]))
    record.write(f"profile-{chosen.work}", f"python -m bench profile {chosen.work}", rows, load=load)


def dearest(stats: pstats.Stats, times: int) -> list[Row]:
    """Return the functions that take the most time themselves, with milliseconds and calls per run."""
    held: dict[tuple[str, int, str], tuple[int, int, float, float, object]] = stats.stats  # type: ignore[attr-defined]
    ordered = sorted(held.items(), key=lambda one: -one[1][2])[:MOST]
    return [
        {"function": named(*where), "calls": round(calls / times, 1), "own_ms": round(own / times * 1000, 3),
         "with_calls_ms": round(whole / times * 1000, 3)}
        for where, (_, calls, own, whole, _) in ordered
    ]  # fmt: skip


def named(file: str, line: int, function: str) -> str:
    """Return the name of a function without the paths of this machine."""
    if file == "~":
        return function
    path = Path(file)
    ours = path.is_relative_to(ROOT) and ".venv" not in path.parts
    shown = path.relative_to(ROOT) if ours else Path(*path.parts[-2:])
    return f"{shown.as_posix()}:{line} {function}"


if __name__ == "__main__":
    main()
