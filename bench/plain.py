"""A plain method for comparison with an index's ranking: passages of 120 words, with BM25 and the packaged embedder,
whose scores are min-max scaled and added with weights 0.3 and 0.7.

Its page text comes from pypdfium2. If a page has no text, like a scan, or a file is not a PDF, it uses the text of the
index.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pypdfium2  # type: ignore[import-untyped]
from numpy.typing import NDArray

from bench.measures import Result
from corpus.documents.block import Block, passage_text
from corpus.embedding.protocol import Embedder

WORDS, SHARED = 120, 30
"""Number of words in a passage, and number of words that the next passage repeats."""
K1, B = 1.2, 0.75
DENSE, LEXICAL = 0.7, 0.3
DEPTH = 200
"""Number of passages returned, which is enough to include ten distinct pages."""

Scores = NDArray[np.float64]


class Plain:
    """A method as specified by `bench.methods.Method`. The score of a passage is its cosine, because fused scores are
    scaled for each question and thus cannot be compared between questions."""

    def __init__(self, passages: Sequence[Result], vectors: NDArray[np.float32], embedder: Embedder) -> None:
        self.passages = passages
        self._vectors = vectors
        self._embedder = embedder
        self._words = _bm25([words_of(one.text) for one in passages])
        self._rows: dict[str | None, NDArray[np.intp]] = {None: np.arange(len(passages))}
        for doc in {one.doc for one in passages}:
            self._rows[doc] = np.array([n for n, one in enumerate(passages) if one.doc == doc])

    @classmethod
    async def of(cls, files: Sequence[Path], blocks: Sequence[tuple[str, Block]], embedder: Embedder) -> Plain:
        """Build the method over the files. `blocks` are the blocks of an index of the files, with file names."""
        passages = [
            Result(doc, page, f"{doc} {page} {n}", text)
            for doc, page, whole in _texts(files, blocks)
            for n, text in enumerate(_passages(whole))
        ]
        return cls(passages, await embedder.passages([one.text for one in passages]), embedder)

    async def find(self, query: str, doc: str | None = None) -> list[Result]:
        rows = self._rows.get(doc, np.array([], dtype=np.intp))
        cosines = self._vectors[rows] @ await self._embedder.query(query)
        fused = DENSE * _min_max(cosines) + LEXICAL * _min_max(self._lexical(query)[rows])
        best = np.argsort(-fused, kind="stable")[:DEPTH]
        return [self.passages[rows[n]].scored(float(cosines[n])) for n in best]

    def _lexical(self, query: str) -> Scores:
        scores = np.zeros(len(self.passages))
        for word in words_of(query):
            if word in self._words:
                rows, weights = self._words[word]
                scores[rows] += weights
        return scores


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _texts(files: Sequence[Path], blocks: Sequence[tuple[str, Block]]) -> Iterator[tuple[str, int, str]]:
    """Yield file name, page and text. A file without pages counts as a single page, with the number 0."""
    of_blocks: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name, block in blocks:
        of_blocks[name][block.page_number or 0].append(passage_text(block))
    for file in files:
        read = {page: "\n".join(texts) for page, texts in of_blocks[file.name].items()}
        for page, text in (_pages(file, read) if file.suffix.lower() == ".pdf" else read).items():
            yield file.name, page, text


def _pages(file: Path, read: Mapping[int, str]) -> dict[int, str]:
    with pypdfium2.PdfDocument(file) as document:
        texts = [page.get_textpage().get_text_bounded() for page in document]
    return {n: text if text.strip() else read.get(n, "") for n, text in enumerate(texts, 1)}


def _passages(text: str) -> Iterable[str]:
    words = text.split()
    return (
        " ".join(words[start : start + WORDS])
        for start in range(0, max(1, len(words) - SHARED), WORDS - SHARED)
        if words
    )


def _bm25(passages: Sequence[Sequence[str]]) -> dict[str, tuple[NDArray[np.intp], Scores]]:
    """Map each word to the passages that contain it and to its contribution to the score of each (Robertson and
    Zaragoza 2009)."""
    counts: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for row, words in enumerate(passages):
        for word, count in Counter(words).items():
            counts[word].append((row, count))
    lengths = np.array([len(words) for words in passages], dtype=float)
    norms = K1 * (1 - B + B * lengths / lengths.mean())
    weighed = {}
    for word, pairs in counts.items():
        rows, often = (np.array(column) for column in zip(*pairs, strict=True))
        rarity = math.log(1 + (len(passages) - len(pairs) + 0.5) / (len(pairs) + 0.5))
        weighed[word] = rows, rarity * often * (K1 + 1) / (often + norms[rows])
    return weighed


def _min_max(scores: NDArray[np.floating]) -> Scores:
    low, high = scores.min(initial=math.inf), scores.max(initial=-math.inf)
    stretched: Scores = (scores - low) / (high - low) if high > low else np.zeros(len(scores))
    return stretched
