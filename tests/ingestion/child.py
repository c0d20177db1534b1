"""An ingestion in a separate process: `python -m tests.ingestion.child INDEX FOLDER [STAGE COUNT]`.

With STAGE, it is killed, as by a power cut, when the log reports this stage for the COUNTth time.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import anyio
import structlog

from corpus.index.local import LocalIndex
from corpus.ingestion.background_embedding import embed_pending
from corpus.ingestion.report import Silence
from corpus.readers.sandbox.pool import ReadingProcesses
from tests.doubles.digest_embedder import DigestEmbedder
from tests.ingestion.gallery import Gallery


def killed_at(stage: str | None, count: int) -> None:
    left = [count]

    def listen(_: object, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        if event.get("event") in ("index.stage", "ingest.stage") and event["stage"] == stage:
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
        raise structlog.DropEvent

    structlog.configure(processors=[listen])


async def ingest(place: Path, folder: Path) -> None:
    embedder = DigestEmbedder()
    index = LocalIndex.open(place, embedder)
    async with ReadingProcesses(records=place / "recognition") as reading:
        gallery = Gallery(index, reading, place / "recognition", folder)
        await gallery.ingest()
        await gallery.recognise()
        await embed_pending(index, embedder, Silence(), 0)
    await index.aclose()


if __name__ == "__main__":
    stage, count = (sys.argv[3], int(sys.argv[4])) if len(sys.argv) > 4 else (None, 0)
    killed_at(stage, count)
    anyio.run(ingest, Path(sys.argv[1]), Path(sys.argv[2]))
