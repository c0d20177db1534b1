"""Passages a second by the packaged model: by threads of this process, and by one, two or more of its own."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

import anyio

from bench.record import Row
from corpus.embedding.packaged import PackagedEmbedder
from corpus.embedding.processes import EmbeddingProcesses
from corpus.embedding.promise import Embedder
from corpus.readers.formats import reader_for
from corpus.readers.promise import ReadBlock

SAMPLES = Path(__file__).parents[2] / "examples" / "documents"
BATCH, BATCHES = 32, 3


def measured() -> list[Row]:
    texts = _passages(BATCH * (BATCHES + 1))
    cores = os.cpu_count() or 1
    ways: list[tuple[str, Embedder]] = [(f"threads, {min(cores, 8)} at a time", PackagedEmbedder())]
    counts = dict.fromkeys((1, 2, cores))
    ways += [(f"{count} process{'es' if count > 1 else ''}", EmbeddingProcesses(count)) for count in counts]
    return [anyio.run(_row, way, embedder, texts) for way, embedder in ways]


def _passages(count: int) -> list[str]:
    """Texts of the sample documents, again where these are too few."""
    found = [
        step.content
        for file in sorted(SAMPLES.glob("*.pdf"))
        for step in reader_for(file)(file)
        if isinstance(step, ReadBlock) and len(step.content.split()) > 30
    ]
    return [f"{n} {found[n % len(found)]}" for n in range(count)]


async def _row(way: str, embedder: Embedder, texts: Sequence[str]) -> Row:
    """The first batch warms up: processes start, and the model is loaded."""
    await embedder.passages(texts[:BATCH])
    begun = time.perf_counter()
    for at in range(BATCH, len(texts), BATCH):
        await embedder.passages(texts[at : at + BATCH])
    seconds = time.perf_counter() - begun
    await embedder.aclose()
    words = sum(len(text.split()) for text in texts[BATCH:])
    passages = len(texts) - BATCH
    row: Row = {
        "part": "embedding",
        "way": way,
        "passages": passages,
        "words_a_passage": round(words / passages),
        "seconds": round(seconds, 2),
        "passages_a_second": round(passages / seconds, 2),
    }
    print(" ".join(map(str, row.values())), flush=True)
    return row
