"""Add vectors to an index that was created without: `python -m bench.peers.given_vectors INDEX_FOLDER [--drawn]`.

Vectors of documents come from a cache of an earlier run, by text. Those of synthetic pages are random, like the words
on the pages: a model would take a third of a second for each page, and its vectors for such words would be meaningless
too.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

import anyio
import numpy as np

from bench.corpus_index import Aloud
from bench.kept_vectors import KeptVectors
from corpus.access import Caller
from corpus.embedding import choose
from corpus.embedding.protocol import Embedder, Vectors
from corpus.index.local import LocalIndex
from corpus.ingestion.background_embedding import embed_pending

KEPT = Path(".bench/vectors.sqlite")


class DrawnVectors:
    """An `Embedder` with the id of another one. It returns a random unit vector for each text, which is the same in
    every run."""

    def __init__(self, embedder: Embedder) -> None:
        self.id, self.dimensions = embedder.id, embedder.dimensions

    async def query(self, text: str) -> Vectors:
        vector: Vectors = (await self.passages([text]))[0]
        return vector

    async def passages(self, texts: Sequence[str]) -> Vectors:
        rows = [np.random.default_rng(zlib.crc32(text.encode())).standard_normal(self.dimensions) for text in texts]
        drawn = np.array(rows, dtype=np.float32).reshape(len(texts), self.dimensions)
        unit: Vectors = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
        return unit

    async def aclose(self) -> None:
        """Do nothing, because there are no resources to release."""


async def given(folder: Path, *, drawn: bool) -> int:
    """Add the vectors, and return how many were added to the index."""
    packaged = choose("packaged")
    assert packaged, "the packaged embedder is not installed"
    with nullcontext(DrawnVectors(packaged)) if drawn else KeptVectors(packaged, KEPT) as embedder:
        index = LocalIndex.open(folder, embedder)
        pending = (await index.counts(Caller(unfiltered=True))).without_vector
        made = await embed_pending(index, embedder, Aloud(), pending)
        await index.aclose()
    return made


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--drawn", action="store_true")
    asked = arguments.parse_args()
    print(anyio.run(lambda: given(asked.folder, drawn=asked.drawn)), "vectors")
