"""Cache of passage and question vectors by text, so that a bench embeds only new texts."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from corpus.embedding.protocol import Embedder, Vectors

BATCH = 256
"""Number of passages between two commits. An interrupted run loses at most this many."""
QUERY = " (questions)"
"""Suffix for questions, because an embedder may embed the same text differently as a question."""


class KeptVectors:
    """An `Embedder` that caches the vectors of another embedder. It is a context manager. Vectors are stored as
    float16, as in the index."""

    def __init__(self, embedder: Embedder, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        self._embedder = embedder
        self._database = sqlite3.connect(file)
        self._database.execute(
            "CREATE TABLE IF NOT EXISTS kept "
            "(embedder TEXT, passage TEXT, vector BLOB, PRIMARY KEY (embedder, passage))"
        )

    @property
    def id(self) -> str:
        return self._embedder.id

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    async def query(self, text: str) -> Vectors:
        kept = self._kept(text, QUERY)
        if kept is None:
            kept = await self._embedder.query(text)
            self.keep({text: kept}, QUERY)
        return kept

    async def passages(self, texts: Sequence[str]) -> Vectors:
        found = {text: self._kept(text) for text in texts}
        new = [text for text, vector in found.items() if vector is None]
        for start in range(0, len(new), BATCH):
            batch = new[start : start + BATCH]
            made = dict(zip(batch, await self._embedder.passages(batch), strict=True))
            found |= made
            self.keep(made)
        return np.array([found[text] for text in texts], dtype=np.float32).reshape(len(texts), self.dimensions)

    def keep(self, vectors: dict[str, Vectors], kind: str = "") -> None:
        rows = [(self.id + kind, text, vector.astype("<f2").tobytes()) for text, vector in vectors.items()]
        with self._database:
            self._database.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", rows)

    async def aclose(self) -> None:
        await self._embedder.aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def _kept(self, text: str, kind: str = "") -> Vectors | None:
        query = "SELECT vector FROM kept WHERE embedder = ? AND passage = ?"
        row = self._database.execute(query, [self.id + kind, text]).fetchone()
        return np.frombuffer(row[0], dtype="<f2").astype(np.float32) if row else None
