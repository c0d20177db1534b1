"""Run one ingestion in a separate process: `python -m bench.killed.child INDEX FILE VERSION KEPT [STAGE
COUNT|SECONDS]`.

The process kills itself when the log reports STAGE for the COUNTth time, or after SECONDS in `reading`. KEPT is the
file with the stored reading result; the stages after reading start from it, because they need only the document. At its
end, and before it kills itself, the process writes its peak memory to standard output.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import signal
import sys
import threading
from collections.abc import MutableMapping, Sequence
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import structlog

from corpus.embedding.protocol import Vectors
from corpus.index.local import LocalIndex
from corpus.ingestion.background_embedding import embed_pending
from corpus.ingestion.ingest import Ingestion
from corpus.ingestion.report import Silence
from corpus.readers.protocol import PageListener, ReadDocument, Refuse
from corpus.readers.sandbox.pool import READABLE, ReadingProcesses


class CheapEmbedder:
    """An embedder that derives vectors from a digest of the text. Their meaning is irrelevant here, and the packaged
    model would take minutes for a manual."""

    id = "cheap"
    dimensions = 384
    max_tokens = 400

    async def query(self, text: str) -> Vectors:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        row = np.random.default_rng(seed).standard_normal(self.dimensions).astype(np.float32)
        return row / np.linalg.norm(row)

    async def passages(self, texts: Sequence[str]) -> Vectors:
        return np.stack([await self.query(text) for text in texts])

    async def aclose(self) -> None:
        pass


class KeptReading:
    """A reader that reads a file once and then returns the stored result."""

    def __init__(self, reading: ReadingProcesses, kept: Path) -> None:
        self._reading = reading
        self._kept = kept

    async def read(
        self, path: Path, listener: PageListener | None = None, refuse: Refuse | None = None
    ) -> ReadDocument:
        if self._kept.exists():
            return pickle.loads(self._kept.read_bytes())  # type: ignore[no-any-return]
        read = await self._reading.read(path)
        half = self._kept.with_suffix(".half")
        half.write_bytes(pickle.dumps(read))
        half.replace(self._kept)
        return read


def say_memory() -> None:
    """Print this process's peak resident memory in MB; its reading processes are not included, because they have their
    own limits."""
    status = Path("/proc/self/status").read_text()
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    os.write(1, f"{int(peak.split()[1]) / 1024:.0f}\n".encode())


def die() -> None:
    say_memory()
    os.kill(os.getpid(), signal.SIGKILL)


def killed_at(stage: str | None, when: float) -> None:
    left = [when]

    def listen(_: object, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        if event.get("event") in ("index.stage", "ingest.stage") and event["stage"] == stage:
            if stage == "reading":
                threading.Timer(when, die).start()
            left[0] -= 1
            if left[0] == 0:
                die()
        raise structlog.DropEvent

    structlog.configure(processors=[listen])


async def ingest(place: Path, file: Path, version: str, kept: Path | None) -> None:
    embedder = CheapEmbedder()
    index = LocalIndex.open(place, embedder)
    async with ReadingProcesses() as processes:
        reading = processes if kept is None else KeptReading(processes, kept)
        ingestion = Ingestion(index, reading, readable=READABLE, reader_version=version, progress=Silence())
        await ingestion.run([file])
        await embed_pending(index, embedder, Silence(), 0)
    await index.aclose()


if __name__ == "__main__":
    place, file, version, kept = sys.argv[1:5]
    killed_at(sys.argv[5] if len(sys.argv) > 6 else None, float(sys.argv[6]) if len(sys.argv) > 6 else 0)
    anyio.run(ingest, Path(place), Path(file), version, Path(kept) if kept != "-" else None)
    say_memory()
