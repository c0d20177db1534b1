"""Kill an ingestion of a 715-page manual twenty times: four times in each stage. Prints a table.

After each kill, the bench examines the index as the next process would: the document must be complete or absent, and if
it is present, keyword search must find it, with or without vectors. After the last kill of a stage, a complete run must
leave exactly the same index as a run that was never killed. The embedder is a fake (`child.CheapEmbedder`). The stages
after reading, and the complete runs, start from a stored reading result. The reading stage is killed while a real
reading process is running.
"""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import structlog

from bench.killed.child import CheapEmbedder
from bench.tables import table
from corpus.access import ANONYMOUS
from corpus.index.local import LocalIndex
from corpus.search import Search

MANUAL = Path("manuals", "ngspice-manual.pdf")
WORDS = "transient analysis of a circuit"
MOST_MB = 300

KILLS: dict[str, tuple[tuple[str, float], ...]] = {
    "reading": (("reading", 0.05), ("reading", 1.5), ("reading", 4.0), ("reading", 8.0)),
    "SQLite commit": (("replace.before_commit", 1),) * 4,
    "between the stores": (("replace.committed", 1),) * 4,
    "tantivy commit": (("words.before_commit", 1), ("words.committed", 1)) * 2,
    "vectors": (
        ("embedding", 2), ("vectors.before_commit", 3), ("vectors.committed", 5), ("vectors.before_commit", 9),
    ),
}  # fmt: skip
"""Log events at which each stage of an ingestion is killed, with the number of the occurrence or, for `reading`, the
delay in seconds."""


@dataclass(frozen=True, slots=True)
class Held:
    """The index as the next process finds it: the number of blocks, a digest of them, the number of passages without a
    vector, and the number of hits for some words."""

    blocks: int = 0
    digest: str = ""
    pending: int = 0
    hits: int = 0


def main() -> None:
    """Run all kills, and exit with the number of faults found."""
    corpora = os.environ.get("IBID_TEST_CORPORA")
    if not corpora:
        sys.exit("IBID_TEST_CORPORA names no folder with the manual.")
    faults: list[str] = []
    structlog.configure(processors=[_quiet])
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(Path(corpora) / MANUAL, Path(scratch), faults)
        rows = [row for stage in KILLS for row in bench.stage(stage)]
    print(table(("stage", "killed at", "blocks left", "without vector", "found", "MB"), rows))
    print(f"\n{sum(map(len, KILLS.values()))} kills, {len(faults)} faults.")
    print("\n".join(faults))
    sys.exit(len(faults))


def _quiet(_: object, __: str, ___: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    raise structlog.DropEvent


class Bench:
    def __init__(self, manual: Path, scratch: Path, faults: list[str]) -> None:
        self._manual, self._scratch, self._faults = manual, scratch, faults
        self._kept = scratch / "read"
        _, memory = self._run(scratch / "whole", "1", self._kept)
        self.whole = held(scratch / "whole")
        print(f"never killed: {self.whole.blocks} blocks, found {self.whole.hits}, {memory:.0f} MB", flush=True)
        self._expect(memory <= MOST_MB, f"never killed: {memory:.0f} MB")

    def stage(self, name: str) -> list[list[str]]:
        """Return one row per kill, and one for the complete run."""
        place = self._scratch / name.replace(" ", "-")
        kept = None if name == "reading" else self._kept
        rows = []
        for n, (stage, when) in enumerate(KILLS[name], start=1):
            # Another reader version causes the entire document to be replaced, but embedding continues from the
            # existing vectors.
            version = "1" if name in ("reading", "vectors") else str(n)
            code, memory = self._run(place, version, kept, stage, when)
            self._expect(code == -signal.SIGKILL, f"{name} {n}: it was not killed but ended with {code}")
            rows.append([name, f"{stage} {when:g}", *self._looked(place, f"{name} {n}", memory)])
        code, memory = self._run(place, "1", self._kept)
        self._expect(code == 0, f"{name}: the run to the end ended with {code}")
        self._expect(held(place) == self.whole, f"{name}: the run to the end left something else")
        rows.append([name, "not", *self._looked(place, f"{name}, to the end", memory)])
        print("\n".join(" ".join(row) for row in rows), flush=True)
        return rows

    def _looked(self, place: Path, what: str, memory: float) -> list[str]:
        left = held(place)
        self._expect(left.digest in ("", self.whole.digest), f"{what}: a part of the document is there")
        self._expect(not left.blocks or left.hits == self.whole.hits, f"{what}: it is not found by its words")
        self._expect(memory <= MOST_MB, f"{what}: {memory:.0f} MB")
        return [str(left.blocks), str(left.pending), str(left.hits), f"{memory:.0f}"]

    def _run(self, place: Path, version: str, kept: Path | None, stage: str = "", when: float = 0) -> tuple[int, float]:
        """Return the exit code and the peak memory of one ingestion."""
        words = [
            str(place),
            str(self._manual),
            version,
            str(kept or "-"),
            *([stage, str(when)] if stage else []),
        ]
        command = [sys.executable, "-m", "bench.killed.child", *words]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
        return done.returncode, float(done.stdout or 0)

    def _expect(self, true: bool, fault: str) -> None:
        if not true:
            self._faults.append(fault)


def held(place: Path) -> Held:
    return anyio.run(_held, place)


async def _held(place: Path) -> Held:
    index = LocalIndex.open(place, CheapEmbedder())
    try:
        documents = await index.all_documents()
        if not documents:
            return Held()
        blocks = await index.pages(documents[0].doc_id, 1, 10_000, ANONYMOUS)
        counts = await index.counts(ANONYMOUS)
        found = await index.find(Search(WORDS, top_k=200), ANONYMOUS)
        digest = hashlib.sha256("\0".join(f"{b.block_id} {b.content}" for b in blocks).encode())
        by_words = sum(hit.lexical is not None for hit in found.hits)
        return Held(len(blocks), digest.hexdigest(), counts.without_vector, min(by_words, 10))
    finally:
        await index.aclose()


if __name__ == "__main__":
    main()
