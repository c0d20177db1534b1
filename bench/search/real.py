"""Blocks of real documents, repeated until there are enough: real sentences, lengths and neighbourhoods of vectors.

Each repetition has a unique word and slightly rotated vectors, so that no two blocks are equal. A text that occurs
twice would have a single vector in an index and be found only once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import anyio
import numpy as np

from bench import corpus_index
from bench.blocks import BLOCKS_A_DOCUMENT, Filled, block_of, document_of
from corpus.embedding import choose
from corpus.embedding.protocol import Vectors
from corpus.index.local import LocalIndex
from corpus.ingestion.background_embedding import embed_pending
from corpus.ingestion.ingest import Ingestion
from corpus.readers.sandbox.pool import READABLE, ReadingProcesses, reader_version

SAMPLES = Path(__file__).parents[2] / "examples" / "documents"
TURNED = 0.25
"""Length of the offset that is added to each vector, which itself has length 1."""


class Real:
    """A `Source` with the texts of the development corpora if they are available, or of the sample documents
    otherwise."""

    def __init__(self, blocks: int, folder: Path) -> None:
        self.blocks = blocks
        self.random = np.random.default_rng(3)
        self.texts, self._vectors = anyio.run(_read, folder)

    def documents(self) -> Iterator[Filled]:
        for n in range(self.blocks // BLOCKS_A_DOCUMENT):
            places = range(n * BLOCKS_A_DOCUMENT, (n + 1) * BLOCKS_A_DOCUMENT)
            blocks = [block_of(n, at, self._text(row)) for at, row in enumerate(places)]
            yield document_of(n), blocks, self.vectors_of(n)

    def vectors_of(self, n: int) -> Vectors:
        rows = np.arange(n * BLOCKS_A_DOCUMENT, (n + 1) * BLOCKS_A_DOCUMENT) % len(self.texts)
        return self._turned(rows, np.random.default_rng((4, n)))

    def vectors(self, count: int) -> Vectors:
        return self._turned(self.random.integers(0, len(self.texts), count), self.random)

    def query(self) -> str:
        """Return six words that occur together in a text."""
        words = self.texts[self.random.integers(len(self.texts))].split()
        start = int(self.random.integers(max(1, len(words) - 6)))
        return " ".join(words[start : start + 6])

    def _text(self, row: int) -> str:
        turn, at = divmod(row, len(self.texts))
        return f"{self.texts[at]} copy{turn}x"

    def _turned(self, rows: np.ndarray[tuple[int], np.dtype[np.int64]], random: np.random.Generator) -> Vectors:
        noise = random.standard_normal((len(rows), self._vectors.shape[1]), dtype=np.float32)
        turned = self._vectors[rows] + TURNED * noise / np.linalg.norm(noise, axis=1, keepdims=True)
        unit: Vectors = (turned / np.linalg.norm(turned, axis=1, keepdims=True)).astype(np.float32)
        return unit


async def _read(folder: Path) -> tuple[list[str], Vectors]:
    """Return each distinct text that has a vector, and the vectors."""
    corpora = os.environ.get("IBID_TEST_CORPORA")
    place = await corpus_index.ingested(Path(corpora)) if corpora else await _samples(folder / "samples")
    index = LocalIndex.open(place, choose("packaged"))
    found: dict[str, Vectors] = {}
    for document in await index.all_documents():
        held = await index.whole(document.doc_id)
        for block in held.blocks:
            if block.content and block.block_id in held.vectors:
                found.setdefault(block.content, np.array(held.vectors[block.block_id], dtype=np.float32))
    await index.aclose()
    return [*found], np.stack([*found.values()])


async def _samples(folder: Path) -> Path:
    embedder = choose("packaged")
    assert embedder, "the packaged embedder is not installed"
    index = LocalIndex.open(folder, embedder)
    async with ReadingProcesses(count=1) as reading:
        ingestion = Ingestion(
            index,
            reading,
            readable=READABLE,
            reader_version=reader_version(),
            progress=corpus_index.Aloud(),
            at_once=1,
        )
        await ingestion.run([SAMPLES])
    pending = len(await index.pending(10_000))
    await embed_pending(index, embedder, corpus_index.Aloud(), pending)
    await index.aclose()
    return folder
