"""Measure import, open and first search of a new process, in CPU milliseconds. Run as a program, this module is that
process."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.record import Row

TIMES = 7

PROCESS = """
import json, sys, time
begun = time.process_time()
from pathlib import Path
from corpus.access import Caller
from corpus.index.local import LocalIndex
from corpus.search import Search
imported = time.process_time()
class Named:
    id, dimensions = sys.argv[2], 384
index = LocalIndex.open(Path(sys.argv[1]), Named())
opened = time.process_time()
from corpus.index.local.snapshot import Question
searcher = index._searcher
import numpy
vector = numpy.ones(384, dtype=numpy.float32) / 384**0.5
loaded = time.process_time()
text = "the w1 of wx"
found = searcher.search(Question(Search(text, 10), Caller(unfiltered=True), text, Named.id, vector))
ended = time.process_time()
assert found.mode == "hybrid", found.mode
print(json.dumps([begun, imported - begun, opened - imported, loaded - opened, ended - loaded, ended]))
index._close()
"""
PARTS = ("interpreter", "import", "open", "load engines", "first search", "all")


def rows(folder: Path, embedder: str) -> list[Row]:
    """Return the minimum and median over several processes. If there is no vector file, the first process reads the
    database."""
    for file in folder.glob("vectors-*"):
        file.unlink()
    first, *others = [_once(folder, embedder) for _ in range(TIMES + 1)]
    return [
        {"part": "cold", "what": name, "cpu_min_ms": round(min(times), 1),
         "cpu_p50_ms": round(statistics.median(times), 1), "without_file_ms": round(without, 1)}
        for name, without, times in zip(PARTS, first, zip(*others, strict=True), strict=True)
    ]  # fmt: skip


def _once(folder: Path, embedder: str) -> list[float]:
    command = [sys.executable, "-c", PROCESS, str(folder), embedder]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    return [seconds * 1000 for seconds in json.loads(run.stdout.splitlines()[-1])]
