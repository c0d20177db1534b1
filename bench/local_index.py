"""How fast the local index answers: `python -m bench.local_index [--blocks 100000]`.

Synthetic blocks of 60-180 words, Zipf over 60,000 words, 50 blocks a document, clustered unit vectors of 384
numbers; queries of two middling, one rare and one or two function words. Prints processor milliseconds, the 50th
and 95th of each hundred, without the query's embedding. A reference (one float32 product with every vector) is
measured in the same run, to compare machines.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import structlog

from corpus.access import Caller
from corpus.blocks import Block
from corpus.documents import Document
from corpus.embedding.promise import Vectors
from corpus.filters import Filters
from corpus.fusion import Fusion
from corpus.index.local import LocalIndex
from corpus.index.local.ranking import Ranking
from corpus.index.local.view import Asked
from corpus.index.promise import NewBlock
from corpus.search import Found, Search

DIMENSIONS, BLOCKS_A_DOCUMENT, QUERIES = 384, 50, 200
FUNCTION = ("the", "of", "and", "to", "in", "a", "is", "for", "with", "on")


class NoEmbedder:
    """Names the vectors of this bench; none is ever computed."""

    id, dimensions, max_tokens = "bench-384", DIMENSIONS, 512

    async def query(self, text: str) -> Vectors:
        raise NotImplementedError

    async def passages(self, texts: Sequence[str]) -> Vectors:
        raise NotImplementedError

    async def aclose(self) -> None:
        """Holds nothing."""


class Corpus:
    """The same texts and vectors in every run."""

    def __init__(self, blocks: int) -> None:
        self.random = np.random.default_rng(1)
        self.blocks = blocks
        weights = 1 / np.arange(1, 60_001) ** 1.07
        self._chances = np.cumsum(weights / weights.sum())
        self.centres = self.random.standard_normal((400, DIMENSIONS)).astype(np.float32)

    def word(self, rank: int) -> str:
        return FUNCTION[rank] if rank < len(FUNCTION) else f"w{np.base_repr(rank * 7919, 36).lower()}x"

    def text(self) -> str:
        ranks = np.searchsorted(self._chances, self.random.random(self.random.integers(60, 180)))
        return " ".join(self.word(int(rank)) for rank in ranks)

    def vectors(self, count: int) -> Vectors:
        near = self.centres[self.random.integers(0, len(self.centres), count)]
        rows = near + 0.7 * self.random.standard_normal((count, DIMENSIONS)).astype(np.float32)
        unit: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        return unit

    def query(self) -> str:
        random = self.random
        middling, rare = random.integers(200, 5_000, 2), random.integers(20_000, 60_000, 1)
        few = [FUNCTION[n] for n in random.integers(0, len(FUNCTION), random.integers(1, 3))]
        return " ".join([*few, *(self.word(int(rank)) for rank in (*middling, *rare))])


def fill(index: LocalIndex, corpus: Corpus) -> None:
    """Everything in one change and one replay; the public way commits per document."""
    from corpus.index.local import embedding, writing

    store, embedder = index._store, NoEmbedder()
    for start in range(0, corpus.blocks // BLOCKS_A_DOCUMENT, 200):
        with store.writing("bench") as change:
            for n in range(start, min(start + 200, corpus.blocks // BLOCKS_A_DOCUMENT)):
                document, blocks = made(corpus, n)
                writing.put(change, writing.prepared(document, blocks), keep_access=False)
                ids = [new.block.block_id for new in blocks]
                embedding.put(change, embedder, ids, corpus.vectors(len(ids)))
    index._words.catch_up()


def made(corpus: Corpus, n: int) -> tuple[Document, list[NewBlock]]:
    access = ("*",) if n % 2 else (("user:few",) if n % 100 == 0 else ("department:other",))
    document = Document(
        doc_id=f"d{n}", filename=f"d{n}.pdf", title=f"Title w{n}", language="en", access_control_list=access,
        upload_date=f"2026-{n % 12 + 1:02}-01T00:00:00+00:00", page_count=BLOCKS_A_DOCUMENT,
    )  # fmt: skip
    blocks = [
        NewBlock(Block(block_id=f"d{n}-{b}", doc_id=document.doc_id, block_type="text", content=corpus.text(),
                       page_number=b + 1, chunk_number=b))
        for b in range(BLOCKS_A_DOCUMENT)
    ]  # fmt: skip
    return document, blocks


SCOPES = {
    "none": (Caller(unfiltered=True), Filters()),
    "36 %": (Caller(user_id="nobody"), Filters(uploaded_after="2026-04-01")),
    "1 %": (
        Caller(user_id="few"),
        Filters(uploaded_after="2026-04-01", doc_id=tuple(f"d{n * 100}" for n in range(90))),
    ),
}  # fmt: skip


def measured(work: Callable[[int], object], count: int = QUERIES) -> tuple[float, float]:
    """The 50th and the 95th of processor milliseconds; the first calls warm up."""
    for n in range(5):
        work(n)
    times = []
    for n in range(count):
        before = time.process_time()
        work(n)
        times.append((time.process_time() - before) * 1000)
    return float(np.percentile(times, 50)), float(np.percentile(times, 95))


def searches(folder: Path, corpus: Corpus) -> None:
    queries, vectors = [corpus.query() for _ in range(QUERIES)], corpus.vectors(QUERIES)
    index = LocalIndex.open(folder, NoEmbedder())
    by_vectors = Ranking(fusion=Fusion(dense=1.0, lexical=0.0))
    matrix = corpus.vectors(corpus.blocks)
    reference = measured(partial(_product, matrix, vectors), 20)
    print(f"{'reference: float32 product':30} {_pair(reference)}")
    del matrix
    for scope, (caller, filters) in SCOPES.items():
        for mode in ("lexical", "vector", "hybrid"):
            index._finder._ranking = by_vectors if mode == "vector" else Ranking()

            def ask(n: int, mode: str = mode, caller: Caller = caller, filters: Filters = filters) -> Found:
                text = "" if mode == "vector" else queries[n]
                vector = None if mode == "lexical" else vectors[n]
                asked = Asked(Search(text, 10, filters), caller, text, NoEmbedder.id, vector)
                return index._finder.find(asked)

            assert any(ask(n).hits for n in range(20))
            print(f"{mode:10} {scope:19} {_pair(measured(ask))}", flush=True)
    index._close()


def _product(matrix: Vectors, vectors: Vectors, n: int) -> Vectors:
    product: Vectors = np.einsum("ij,j->i", matrix, vectors[n])
    return product


def _pair(times: tuple[float, float]) -> str:
    return f"{times[0]:8.2f} {times[1]:8.2f}"


def updates(folder: Path, corpus: Corpus) -> None:
    """A document of 50 blocks changes; another handle on the index sees it at its next query."""
    index, other = LocalIndex.open(folder, NoEmbedder()), LocalIndex.open(folder, NoEmbedder())
    vector = corpus.vectors(1)[0]
    caller = Caller(unfiltered=True)
    other._finder.find(Asked(Search("w", 10), caller, "w", NoEmbedder.id, vector))
    documents = [made(corpus, n) for n in range(20)]

    def change(n: int) -> None:
        document, blocks = documents[n % len(documents)]
        index._writer.replace(replace(document, title=f"Changed {n}"), blocks, keep_access=False)

    print(f"{'update of 50 blocks':30} {_pair(measured(change, 20))}")

    def seen(n: int) -> None:
        change(n)
        other._finder.find(Asked(Search("w", 10), caller, "w", NoEmbedder.id, vector))

    print(f"{'update and the next query':30} {_pair(measured(seen, 20))}")
    index._close()
    other._close()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--blocks", type=int, default=100_000)
    arguments.add_argument("--folder", type=Path, default=Path(".bench/local_index"))
    chosen = arguments.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    corpus, folder = Corpus(chosen.blocks), chosen.folder / str(chosen.blocks)
    if not folder.exists():
        index, before = LocalIndex.open(folder, NoEmbedder()), time.process_time()
        fill(index, corpus)
        index._close()
        print(f"built in {time.process_time() - before:.1f} processor seconds")
    print(f"{sum(f.stat().st_size for f in folder.rglob('*') if f.is_file()) / 1e6:.0f} MB on disk")
    print(f"{'':30} {'p50':>8} {'p95':>8}   processor ms")
    searches(folder, corpus)
    updates(folder, corpus)
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB resident at most")


if __name__ == "__main__":
    main()
