"""The protocol of embedders, and their configuration."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Vectors: TypeAlias = "NDArray[np.float32]"
"""Matrix whose rows are unit vectors, unless a function's docstring says otherwise."""


class Embedder(Protocol):
    """A source of unit vectors from one model. An index stores its `id` and never mixes vectors from two models."""

    @property
    def id(self) -> str:
        """Identifier of the model, its version and its weights. Two ids are equal if and only if the vectors are
        comparable."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    async def query(self, text: str) -> Vectors:
        """Embed a query: one unit vector, float32, shape (dimensions,). Raises NotConfigured, LLMError or Timeout."""

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed passages: unit vectors in the order of the texts, float32, shape (len(texts), dimensions).

        A text that exceeds the model's limit is cut off. Raises the same errors as `query`.
        """

    async def aclose(self) -> None:
        """Release connections and models. A later call opens them again."""


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """Configuration of an embedder. `name` is one of `corpus.embedding.CHOICES`; fields that the embedder does not need
    are ignored.

    `dimensions` is the vector length, for models that are unknown or can return shorter vectors. `token` returns an
    access token for Azure OpenAI. It is called for each request, but only if there is no key.
    """

    name: str
    model: str | None = None
    dimensions: int | None = None
    base_url: str = "https://api.openai.com/v1"
    api_key: str | None = field(default=None, repr=False)
    folder: Path | None = None
    endpoint: str | None = None
    deployment: str | None = None
    api_version: str = "2024-10-21"
    token: Callable[[], Awaitable[str]] | None = field(default=None, repr=False)
