"""Run `ibid ingest` in a separate process, and measure its time, the memory of all its processes, and its exit."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

LOOK_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Ended:
    """The result of a run. `peak_mb` is the memory of all processes together, with shared memory counted once;
    `writer_mb` is the memory of the writing process. Both are 0 on systems without /proc. CPU seconds include only
    those processes that exited before the run did."""

    output: str
    exit_code: int
    seconds: float
    cpu_seconds: float
    peak_mb: float
    writer_mb: float


def ingest(place: Path, folder: Path, *words: str, until: Callable[[], bool] = lambda: False, **settings: str) -> Ended:
    """Ingest the folder into the index at `place`. Once `until` returns true, kill the run, as a power cut would."""
    command = [sys.executable, "-c", "from server.cli import main; main()", "ingest", str(folder), *words]
    environment = {**os.environ, "RAG_DATA_DIR": str(place), **settings}
    before, begun = _children_seconds(), time.perf_counter()
    peak = writer = 0.0
    with tempfile.TemporaryFile() as output:
        run = subprocess.Popen(command, env=environment, stdout=output, stderr=subprocess.STDOUT)
        while run.poll() is None:
            if until():
                run.send_signal(signal.SIGKILL)
            sizes = [_megabytes(pid) for pid in _family(run.pid)]
            peak, writer = max(peak, sum(sizes)), max(writer, sizes[0] if sizes else 0.0)
            time.sleep(LOOK_SECONDS)
        seconds = time.perf_counter() - begun
        output.seek(0)
        said = output.read().decode("utf-8", "replace")
    return Ended(said, run.returncode, seconds, _children_seconds() - before, peak, writer)


def _children_seconds() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _family(pid: int) -> list[int]:
    """Return the process and all its descendants."""
    try:
        below = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:
        return [pid]
    return [pid, *(one for child in below for one in _family(int(child)))]


def _megabytes(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
