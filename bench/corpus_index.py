"""Build one local index of the development corpora, and query it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path

from bench.kept_vectors import KeptVectors
from bench.questions import SETS
from corpus.access import ANONYMOUS, Caller
from corpus.embedding import choose
from corpus.embedding.protocol import Embedder
from corpus.index.local import LocalIndex
from corpus.index.local.ranking import Ranking
from corpus.ingestion.background_embedding import embed_pending
from corpus.ingestion.ingest import Ingestion
from corpus.ingestion.recognition_queue import RecognitionQueue
from corpus.ingestion.report import Outcome, Silence, summary
from corpus.readers.ocr.engine import ENGINE
from corpus.readers.ocr.records import FILE, Records
from corpus.readers.sandbox.pool import READABLE, ReadingProcesses, reader_version
from corpus.search import Hit, Search

WAYS = ("lexical", "vector", "hybrid")
FOLDER = Path(".bench/retrieval")
VECTORS = Path(".bench/vectors.sqlite")


class Aloud(Silence):
    """A `Progress` that prints plain lines."""

    def file_total(self, count: int) -> None:
        print(f"{count} files", flush=True)

    def file_done(self, outcome: Outcome) -> None:
        if outcome.kind != "unchanged":
            print(f"{outcome.kind} {outcome.path.name} {outcome.detail}", flush=True)

    def recognised(self, done: int, total: int) -> None:
        if done and done % 10 == 0:
            print(f"pictures {done} of {total}", flush=True)

    def vectors(self, done: int, total: int) -> None:
        if done % 320 == 0:
            print(f"vectors {done} of {total}", flush=True)


async def ingested(corpora: Path, folder: Path = FOLDER, *, embedded: bool = True) -> Path:
    """Ingest every PDF in the sets, with vectors if `embedded` is True. A later run processes only what has changed."""
    with kept_vectors() if embedded else nullcontext() as embedder:
        await take_in([corpora / name for name in SETS], folder, embedder, READABLE & {".pdf"})
    return folder


def kept_vectors() -> KeptVectors:
    """Return the packaged embedder with a cache of the vectors that earlier runs of any bench computed."""
    packaged = choose("packaged")
    assert packaged, "the packaged embedder is not installed"
    return KeptVectors(packaged, VECTORS)


async def take_in(
    paths: Sequence[Path], folder: Path, embedder: Embedder | None, readable: frozenset[str] = READABLE
) -> None:
    """Ingest the files under the paths into the index of the folder, including OCR text of their pictures."""
    index = LocalIndex.open(folder, embedder)
    cores = os.cpu_count() or 1
    recognised = Records(folder / FILE, ENGINE)
    async with ReadingProcesses(count=cores, records=folder / FILE) as reading:
        ingestion = Ingestion(
            index,
            reading,
            readable=readable,
            reader_version=reader_version(),
            reads_pictures=True,
            progress=Aloud(),
            at_once=cores,
        )
        print(summary(await ingestion.run(paths)), flush=True)
        recognising = RecognitionQueue(index, reading, recognised, roots=paths, at_once=cores)
        while await recognising.round(partial(ingestion.read_again, paths), Aloud()):
            pass
    if embedder:
        pending = (await index.counts(Caller(unfiltered=True))).without_vector
        await embed_pending(index, embedder, Aloud(), pending)
    await index.aclose()


async def answers(
    folder: Path, way: str, queries: Sequence[str], top_k: int, ranking: Ranking | None = None
) -> list[tuple[Hit, ...]]:
    """Return the hits of each query, ranked by keyword search, by vectors or by both. `ranking` replaces the default
    ranking."""
    embedder = None if way == "lexical" else choose("packaged")
    index = LocalIndex.open(folder, embedder, ranking=ranking or ranking_of(way))
    found = [(await index.find(Search(query, top_k), ANONYMOUS)).hits for query in queries]
    await index.aclose()
    return found


def ranking_of(way: str) -> Ranking:
    """Return the ranking for one of these three ways. An index without an embedder uses only keyword search; any other
    index uses both, unless the weight of words is zero."""
    return Ranking(words=0.0, rare=0) if way == "vector" else Ranking()
