"""What every embedder promises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    # numpy costs a fifth of a second to import; a server must answer before it is needed.
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]
else:
    Vectors: TypeAlias = "NDArray[np.float32]"


class Embedder(Protocol):
    """Unit vectors of one model. An index stores `id` and never mixes two."""

    @property
    def id(self) -> str:
        """Model, version and weights in one word, equal exactly when the vectors are comparable."""

    @property
    def dimensions(self) -> int: ...

    async def query(self, text: str) -> Vectors:
        """One unit vector, shape (dimensions,)."""

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors in the order of the texts, shape (len(texts), dimensions).

        A text beyond what the model sees is cut, not refused.
        """

    async def aclose(self) -> None:
        """Let go of connections and models. A later call opens them again."""
