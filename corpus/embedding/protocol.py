"""The protocol of embedders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    # numpy takes 0.2 s to import; a server must answer before it is needed.
    import numpy as np
    from numpy.typing import NDArray

Vectors: TypeAlias = "NDArray[np.float32]"
"""Rows are unit vectors unless a function says otherwise."""


class Embedder(Protocol):
    """One model's unit vectors. An index stores `id` and never mixes two."""

    @property
    def id(self) -> str:
        """Model, version and weights in one word: equal exactly when the vectors are comparable."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    async def query(self, text: str) -> Vectors:
        """Embed a query: one unit vector, float32, shape (dimensions,). Raises NotConfigured, LLMError or Timeout."""

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed passages: unit vectors in their order, float32, shape (len(texts), dimensions).

        A text beyond the model's limit is cut. Raises as `query`.
        """

    async def aclose(self) -> None:
        """Release connections and models. A later call opens them again."""
