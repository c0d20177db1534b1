"""Measure pages per second on one core, by kind of document. Each document is read in a separate process, as in a
server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from bench.record import Row

SAMPLES = Path(__file__).parents[2] / "examples" / "documents"
READ = """
import json, resource, sys, time
from pathlib import Path
from corpus.readers.formats import reader_for
from corpus.readers.protocol import ReadBlock, ReadDocument
path, pages, blocks, figures = Path(sys.argv[1]), 0, 0, 0
for step in reader_for(path)(path):
    if isinstance(step, ReadBlock):
        blocks, figures = blocks + 1, figures + (step.picture is not None)
    elif isinstance(step, ReadDocument):
        pages = step.page_count
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([pages, blocks, figures, time.process_time(), peak]))
"""

KINDS = {
    "manual with drawings": SAMPLES / "xyz-pump-technical-manual.pdf",
    "German manual": SAMPLES / "xyz-pumpe-wartungshandbuch.pdf",
}
FROM_CORPORA = {
    "paper, two dense columns with figures": "papers",
    "law and forms, three columns": "gov",
    "slides with charts": "finreport",
    "German handbook": "manuals",
    "company handbook": "northwind",
}
"""Folder whose PDFs are read for each kind of document."""
LONG = 300
"""Number of pages at which a file counts as long, so that --quick skips it. Pages are estimated from the file's size,
at 10 kB each."""


def measured(*, quick: bool) -> list[Row]:
    found = list(KINDS.items())
    if corpora := os.environ.get("IBID_TEST_CORPORA"):
        for kind, folder in FROM_CORPORA.items():
            found += [(kind, file) for file in sorted(Path(corpora, folder).rglob("*.pdf"))]
    if quick:
        found = [(kind, file) for kind, file in found if file.stat().st_size < LONG * 10_000]
    return [_row(kind, file) for kind, file in found]


def _row(kind: str, file: Path) -> Row:
    run = subprocess.run(
        [sys.executable, "-c", READ, str(file)], capture_output=True, text=True, check=True
    )  # fmt: skip
    pages, blocks, figures, seconds, peak = json.loads(run.stdout.splitlines()[-1])
    row: Row = {
        "part": "reading",
        "kind": kind,
        "pages": pages,
        "blocks": blocks,
        "figures": figures,
        "cpu_seconds": round(seconds, 2),
        "pages_a_second_and_core": round(pages / seconds, 2),
        "peak_mb": round(peak),
    }
    print(" ".join(map(str, row.values())), flush=True)
    return row
