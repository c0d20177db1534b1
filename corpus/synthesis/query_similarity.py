"""How near texts are to a question in meaning, with the vectors of the last texts kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import structlog

from corpus.embedding.protocol import Embedder

if TYPE_CHECKING:
    from corpus.embedding.protocol import Vectors

MAX_KEPT = 2000
"""Vectors, about 3 MB: an answer is often asked for again, and every round of a call compares the same texts."""

log = structlog.stdlib.get_logger("ibid")


class Nearness:
    """Without an embedder, or where it fails, nothing is known of any text."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder
        self._kept: OrderedDict[str, Vectors] = OrderedDict()

    async def to(self, question: str, texts: Sequence[str]) -> Mapping[str, float]:
        """The cosine of each text with the question."""
        if self._embedder is None or not texts:
            return {}
        try:
            return await self._compared(self._embedder, question, texts)
        except Exception:
            log.warning("synthesis.nearness_unknown", exc_info=True)
            return {}

    async def _compared(self, embedder: Embedder, question: str, texts: Sequence[str]) -> Mapping[str, float]:
        missing = [text for text in dict.fromkeys(texts) if text not in self._kept]
        if missing:
            self._kept.update(zip(missing, await embedder.passages(missing), strict=True))
        asked = await embedder.query(question)
        cosines = {text: float(self._kept[text] @ asked) for text in texts}
        for text in texts:
            self._kept.move_to_end(text)
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        return cosines
