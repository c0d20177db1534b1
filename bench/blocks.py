"""Synthetic blocks, the same in every run, and a fast way to fill an index with many of them.

Texts consist of 60 to 180 words, drawn with a Zipf distribution from 60,000 words. Each document has 50 blocks. Vectors
are clustered unit vectors with 384 dimensions. Queries have two words of medium frequency, one rare word and one or two
function words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from corpus.access import Caller
from corpus.documents.block import Block
from corpus.documents.document import Document
from corpus.embedding.protocol import Vectors
from corpus.filters import Filters
from corpus.index.local import LocalIndex
from corpus.index.protocol import NewBlock

DIMENSIONS, BLOCKS_A_DOCUMENT = 384, 50
FUNCTION = ("the", "of", "and", "to", "in", "a", "is", "for", "with", "on")
AT_ONCE = 200
"""Number of documents per database transaction."""

Filled = tuple[Document, list[NewBlock], Vectors]


class NoEmbedder:
    """An embedder that has the id under which a bench stores vectors, but never computes any."""

    id, dimensions, max_tokens = "bench-384", DIMENSIONS, 512

    async def query(self, text: str) -> Vectors:
        raise NotImplementedError

    async def passages(self, texts: Sequence[str]) -> Vectors:
        raise NotImplementedError

    async def aclose(self) -> None:
        """Do nothing, because there are no resources to release."""


class Source(Protocol):
    """A source of blocks for an index, in documents of `BLOCKS_A_DOCUMENT` blocks, and of questions about them."""

    blocks: int

    def documents(self) -> Iterator[Filled]: ...

    def vectors_of(self, n: int) -> Vectors:
        """Return the vectors of one document's blocks. They do not depend on earlier calls."""

    def vectors(self, count: int) -> Vectors:
        """Return the vectors of `count` questions."""

    def query(self) -> str: ...


class Corpus:
    """A source of synthetic texts and vectors that are the same in every run."""

    def __init__(self, blocks: int) -> None:
        self.random = np.random.default_rng(1)
        self.blocks = blocks
        weights = 1 / np.arange(1, 60_001) ** 1.07
        self._chances = np.cumsum(weights / weights.sum())
        self._words = [self.word(rank) for rank in range(len(weights))]
        self.centres = self.random.standard_normal((400, DIMENSIONS)).astype(np.float32)

    def documents(self) -> Iterator[Filled]:
        for n in range(self.blocks // BLOCKS_A_DOCUMENT):
            document, blocks = made(self, n)
            yield document, blocks, self.vectors_of(n)

    def vectors_of(self, n: int) -> Vectors:
        return self._near(np.random.default_rng((2, n)), BLOCKS_A_DOCUMENT)

    def word(self, rank: int) -> str:
        return FUNCTION[rank] if rank < len(FUNCTION) else f"w{np.base_repr(rank * 7919, 36).lower()}x"

    def text(self) -> str:
        ranks = np.searchsorted(self._chances, self.random.random(self.random.integers(60, 180)))
        return " ".join([self._words[rank] for rank in ranks.tolist()])

    def vectors(self, count: int) -> Vectors:
        return self._near(self.random, count)

    def _near(self, random: np.random.Generator, count: int) -> Vectors:
        near = self.centres[random.integers(0, len(self.centres), count)]
        rows = near + 0.7 * random.standard_normal((count, DIMENSIONS), dtype=np.float32)
        unit: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        return unit

    def query(self) -> str:
        random = self.random
        middling, rare = random.integers(200, 5_000, 2), random.integers(20_000, 60_000, 1)
        few = [FUNCTION[n] for n in random.integers(0, len(FUNCTION), random.integers(1, 3))]
        return " ".join([*few, *(self.word(int(rank)) for rank in (*middling, *rare))])


def access_of(n: int) -> tuple[str, ...]:
    """Return the access list of a document. Half of the documents are public; one document in a hundred can be read by
    only a few people."""
    return ("*",) if n % 2 else (("user:few",) if n % 100 == 0 else ("department:other",))


def document_of(n: int) -> Document:
    return Document(
        doc_id=f"d{n}", filename=f"d{n}.pdf", title=f"Title w{n}", language="en", access_control_list=access_of(n),
        upload_date=f"2026-{n % 12 + 1:02}-01T00:00:00+00:00", page_count=BLOCKS_A_DOCUMENT,
        department="few" if n % 100 == 0 else "many",
    )  # fmt: skip


def block_of(n: int, place: int, content: str) -> NewBlock:
    return NewBlock(
        Block(block_id=f"d{n}-{place}", doc_id=f"d{n}", block_type="text", content=content, page_number=place + 1,
              chunk_number=place)
    )  # fmt: skip


def made(corpus: Corpus, n: int) -> tuple[Document, list[NewBlock]]:
    return document_of(n), [block_of(n, place, corpus.text()) for place in range(BLOCKS_A_DOCUMENT)]


SCOPES = {
    "none": (Caller(unfiltered=True), Filters()),
    "36 %": (Caller(user_id="nobody"), Filters(uploaded_after="2026-04-01")),
    "1 %": (Caller(user_id="few"), Filters(uploaded_after="2026-04-01", department=("few",))),
}  # fmt: skip
"""Callers and filters, keyed by the fraction of blocks that remain visible with them."""


def filled(folder: Path, documents: Iterable[Filled]) -> None:
    """Create an index in `folder` unless one exists. It takes only a few large transactions and one update of the word
    index, whereas the public API commits each document separately."""
    done = folder / "filled"
    if done.exists():
        return
    index = LocalIndex.open(folder, NoEmbedder())
    batch: list[Filled] = []
    for one in documents:
        batch.append(one)
        if len(batch) == AT_ONCE:
            _put(index, batch)
            batch = []
    _put(index, batch)
    index._words.catch_up()
    index._close()
    done.touch()


def _put(index: LocalIndex, batch: Sequence[Filled]) -> None:
    from corpus.index.local import index_writer as writing
    from corpus.index.local.vectors import vector_blobs

    if not batch:
        return
    with index._store.writing("bench") as change:
        for document, blocks, _ in batch:
            writing.put(change, writing.prepare(document, blocks), keep_access=False)
        ids = [new.block.block_id for _, blocks, _ in batch for new in blocks]
        vector_blobs.put_pending(change, NoEmbedder(), ids, np.concatenate([vectors for _, _, vectors in batch]))
