"""Measure wrong characters in scans, and the cost of a page: `python -m bench ocr [--write]`.

Each page is processed like any file: as a PDF, in the reading process with its limits, with blocks in reading order.
The error is the edit distance between the text of the page and that of the blocks, with white space collapsed, divided
by the number of characters on the page.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
from pathlib import Path

import anyio

from bench.ocr.pages import LANGUAGES, page, scan, text
from bench.reports import keep
from bench.tables import table
from corpus.readers.ocr.engine import ENGINE, HOW_TO_INSTALL, RecognitionResult, is_installed
from corpus.readers.ocr.records import Records
from corpus.readers.sandbox.pool import ReadingProcesses

COMMAND = "python -m bench ocr --write"
RESULTS = Path(__file__).parents[1] / "results" / "ocr.md"


async def main(*, write: bool) -> None:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for language in LANGUAGES:
            for noisy in (False, True):
                path = scan(Path(folder, "scan.pdf"), page(language, noisy=noisy))
                read, seconds = await read_alone(path)
                wrong = distance(collapsed(text(language)), collapsed(read)) / len(collapsed(text(language)))
                rows.append([language, "noisy" if noisy else "clean", f"{wrong:.4f}", f"{seconds:.1f}"])
    result = table(["page", "scan", "character error", "CPU seconds"], rows)
    print(result)
    if write:
        keep(RESULTS, f"# Scans read by text recognition\n\n{result}\n", COMMAND)


async def read_alone(path: Path) -> tuple[str, float]:
    """Return the text of the blocks, and the CPU seconds of a process that reads only this file, including the start of
    the process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    records = Records(path.with_name("records.sqlite3"), ENGINE)
    async with ReadingProcesses(records=path.with_name("records.sqlite3")) as reading:
        first = await reading.read(path)
        for place in first.pending:
            found = await reading.recognise(path, place, content_hash=first.content_hash or "")
            records.put(first.content_hash or "", place, found or RecognitionResult())
        document = await reading.read(path)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return "\n".join(block.content for block in document.blocks), (
        after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    )


def collapsed(words: str) -> str:
    return " ".join(words.split())


def distance(one: str, other: str) -> int:
    """Return the minimum number of characters to insert, delete or change to turn one text into the other."""
    row = list(range(len(other) + 1))
    for count, letter in enumerate(one, 1):
        last, row[0] = row[0], count
        for place, its in enumerate(other, 1):
            last, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, last + (letter != its))
    return row[-1]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--write", action="store_true", help=f"also write bench/results/{RESULTS.name}")
    arguments = parser.parse_args()
    if not is_installed():
        sys.exit(f"ocr: left out, the extra is not installed ({HOW_TO_INSTALL})")
    anyio.run(lambda: main(write=arguments.write))
