"""The development corpora in one local index, and the ways in which it is asked."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from bench.kept_vectors import KeptVectors
from bench.questions import SETS
from corpus.access import ANONYMOUS, Caller
from corpus.embedding import chosen
from corpus.embedding.protocol import Embedder
from corpus.index.local import LocalIndex
from corpus.index.local.ranking import Ranking
from corpus.ingestion.ingest import Ingestion
from corpus.ingestion.outcomes import Outcome, Silence, summary
from corpus.ingestion.vectors import embed_pending
from corpus.readers.reading import READABLE, ReadingProcesses, reader_version
from corpus.search import Hit, Search

WAYS = ("lexical", "vector", "hybrid")
FOLDER = Path(".bench/retrieval")


class Aloud(Silence):
    """A Progress in plain lines."""

    def files_found(self, count: int) -> None:
        print(f"{count} files", flush=True)

    def file_done(self, outcome: Outcome) -> None:
        if outcome.kind != "unchanged":
            print(f"{outcome.kind} {outcome.path.name} {outcome.detail}", flush=True)

    def recognised(self, done: int, total: int) -> None:
        pass

    def vectors(self, done: int, total: int) -> None:
        if done % 320 == 0:
            print(f"vectors {done} of {total}", flush=True)


async def ingested(corpora: Path, folder: Path = FOLDER, *, embedded: bool = True) -> Path:
    """Every PDF of the sets, read and, where wanted, embedded; only what changed since the last run costs anything."""
    packaged = chosen("packaged") if embedded else None
    with KeptVectors(packaged, folder.with_name("vectors.sqlite")) if packaged else nullcontext() as embedder:
        await _take_in(corpora, folder, embedder)
    return folder


async def _take_in(corpora: Path, folder: Path, embedder: Embedder | None) -> None:
    index = LocalIndex.open(folder, embedder)
    cores = os.cpu_count() or 1
    async with ReadingProcesses(count=cores) as reading:
        ingestion = Ingestion(
            index,
            reading,
            readable=READABLE & {".pdf"},
            reader_version=reader_version(),
            progress=Aloud(),
            at_once=cores,
        )
        print(summary(await ingestion.run([corpora / name for name in SETS])), flush=True)
    if embedder:
        pending = (await index.counts(Caller(unfiltered=True))).without_vector
        await embed_pending(index, embedder, Aloud(), pending)
    await index.aclose()


async def answers(
    folder: Path, way: str, queries: Sequence[str], top_k: int, ranking: Ranking | None = None
) -> list[tuple[Hit, ...]]:
    """The hits of each query, ranked by words, by vectors or by both; with another ranking where one is given."""
    embedder = None if way == "lexical" else chosen("packaged")
    if ranking is None:
        ranking = Ranking(words=0.0, rare=False) if way == "vector" else Ranking()
    index = LocalIndex.open(folder, embedder, ranking=ranking)
    found = [(await index.find(Search(query, top_k), ANONYMOUS)).hits for query in queries]
    await index.aclose()
    return found
