"""`make bench` runs every bench that this machine can run, one after the other; `python -m bench NAME …` runs one.

`make bench ARGS=--write` stores the numbers of all benches, including those that otherwise only print them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

BENCHES: dict[tuple[str, ...], bool] = {
    ("search",): False,
    ("search", "--growth"): False,
    ("search", "--growth", "--real"): True,
    ("profile", "search"): False,
    ("profile", "ingestion"): False,
    ("startup",): False,
    ("stdio",): False,
    ("view",): False,
    ("tokens",): False,
    ("memory",): False,
    ("ingest",): False,
    ("office_reading",): False,
    ("retrieval",): True,
    ("ir",): True,
    ("synthesis",): False,
    ("answers",): True,
    ("layout",): True,
    ("grounding",): True,
    ("ocr",): False,
    ("azure",): False,
    ("azure", "--corpora"): True,
    ("killed",): True,
    ("citations",): True,
    ("mangled",): True,
    ("metrics",): True,
    ("peers",): False,
}
"""Name and arguments of each bench, and whether it needs the development corpora."""
WRITE = "--write"
PRINT_ALONE = {
    "retrieval", "ir", "synthesis", "answers", "answerable", "grounding", "ocr", "azure", "metrics", "peers"
}  # fmt: skip
"""Benches that store nothing unless --write is given."""


def main() -> None:
    """Run the benches, and exit with the number of benches that failed."""
    writing = sys.argv[1:] == [WRITE]
    if sys.argv[1:] and not writing:
        sys.exit(run(sys.argv[1:]))
    failed = 0
    for words, needs_corpora in BENCHES.items():
        if needs_corpora and not os.environ.get("IBID_TEST_CORPORA"):
            print(f"{' '.join(words)}: left out, IBID_TEST_CORPORA is not set", flush=True)
            continue
        print(f"== {' '.join(words)}", flush=True)
        failed += run([*words, WRITE] if writing and words[0] in PRINT_ALONE else words) != 0
    sys.exit(failed)


def run(words: Sequence[str]) -> int:
    """Run one bench, and return its exit code."""
    name, *arguments = words
    return subprocess.run([sys.executable, "-m", f"bench.{name}", *arguments], check=False).returncode


if __name__ == "__main__":
    main()
