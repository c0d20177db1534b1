"""Run `ibid ingest` like a user: for the first time, over unchanged files, killed and resumed, and over messy files."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from bench.ingest.command import Ended, ingest
from bench.ingest.messy import UNREADABLE, make
from bench.record import Row

SAMPLES = Path(__file__).parents[2] / "examples" / "documents"


def measured(scratch: Path) -> list[Row]:
    whole, cut = scratch / "whole", scratch / "cut"
    rows = [_row("first run", ingest(whole, SAMPLES), whole)]
    everything = vectors(whole)
    rows.append(_row("unchanged, again", ingest(whole, SAMPLES), whole))
    for part in (1, 2):
        ended = ingest(cut, SAMPLES, until=_has(cut, everything * part // 3))
        rows.append(_row(f"killed with {part}/3 of the vectors", ended, cut))
    before = vectors(cut)
    rows.append(_row(f"resumed, {everything - before} vectors to make", ingest(cut, SAMPLES), cut))
    assert vectors(cut) == everything, "the resumed run left another index"
    return rows


def messy(scratch: Path, files: int) -> list[Row]:
    """Ingest messy files without vectors, and without OCR, because OCR would take ten seconds per scan."""
    folder, place = scratch / "documents", scratch / "index"
    make(folder, files)
    rows: list[Row] = []
    for run in ("first run", "unchanged, again"):
        ended = ingest(place, folder, "--no-vectors", RAG_OCR="off")
        named = sum(f"{name}: " in ended.output for name in UNREADABLE)
        row = _row(run, ended, place)
        rows.append({**row, "part": "messy", "files": files, "unreadable_named": named})
    return rows


def vectors(place: Path) -> int:
    file = place / "index.sqlite3"
    if not file.exists():
        return 0
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=10)) as index:
        try:
            return int(index.execute("SELECT count(*) FROM vectors").fetchone()[0])
        except sqlite3.OperationalError:  # its tables do not exist yet
            return 0


def _has(place: Path, count: int) -> Callable[[], bool]:
    return lambda: vectors(place) >= count


def _row(what: str, ended: Ended, place: Path) -> Row:
    row: Row = {
        "part": "runs",
        "run": what,
        "seconds": round(ended.seconds, 1),
        "cpu_seconds": round(ended.cpu_seconds, 1),
        "peak_mb": round(ended.peak_mb),
        "peak_mb_of_the_writer": round(ended.writer_mb),
        "exit_code": ended.exit_code,
        "vectors": vectors(place),
    }
    print(" ".join(map(str, row.values())), flush=True)
    return row
