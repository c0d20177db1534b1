"""What every embedder promises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Unit vectors of one model. An index stores `id` and never mixes two."""

    @property
    def id(self) -> str:
        """Model, version and weights in one word, equal exactly when the vectors are comparable."""

    @property
    def dimensions(self) -> int: ...

    @property
    def max_tokens(self) -> int:
        """Longest passage that the model sees whole."""

    async def query(self, text: str) -> Vectors:
        """One unit vector, shape (dimensions,)."""

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors in the order of the texts, shape (len(texts), dimensions)."""
