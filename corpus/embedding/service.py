"""An embedder that calls a service with OpenAI's protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from corpus.embedding.batches import batches
from corpus.embedding.known_models import known, sizing
from corpus.services.clients import LazyClient
from corpus.services.packages import need
from corpus.services.patience import A_QUERY, PASSAGES, Patience
from corpus.services.where import Service

if TYPE_CHECKING:
    from corpus.embedding.protocol import Vectors


GIVES, ARE_NONE = "the vectors", "are no embeddings"
REFUSED = "refused to embed with {what} (status {{status}}). Check {setting} and RAG_EMBEDDER_DIMENSIONS."


class ServiceEmbedder:
    """Opens connections at the first call; after `aclose` a later call opens them again.

    Calls raise NotConfigured for what an operator must fix, LLMError and Timeout for what may pass.
    """

    def __init__(
        self,
        model: str,
        dimensions: int | None,
        service: Service,
        query: Patience = A_QUERY,
        passages: Patience = PASSAGES,
    ) -> None:
        """Raises NotConfigured where the vector length is unknown or impossible, or the package is missing."""
        need("openai", extra="llm")
        self._service = service
        self._model = known(model)
        self._sizing = sizing(model, dimensions)
        self._for_query = query
        self._for_passages = passages
        self._client = LazyClient(service.open, imports="corpus.embedding.asking")

    @property
    def id(self) -> str:
        """The model, with its vector length where that is not the model's own. The address does not count."""
        return self._sizing.id

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return self._sizing.dimensions

    async def query(self, text: str) -> Vectors:
        """Embed a query: one unit vector, shape (dimensions,), or an error within ten seconds."""
        vector: Vectors = (await self._vectors([self._model.query(text)], self._for_query))[0]
        return vector

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed passages: unit vectors, shape (len(texts), dimensions)."""
        import numpy as np

        cut = [self._model.passage(text) for text in texts]
        parts = [await self._vectors(batch, self._for_passages) for batch in batches(cut)]
        return np.concatenate(parts) if parts else np.zeros((0, self.dimensions), dtype=np.float32)

    async def aclose(self) -> None:
        """Close connections."""
        await self._client.aclose()

    async def _vectors(self, texts: list[str], patience: Patience) -> Vectors:
        client = await self._client.get()
        from corpus.embedding.asking import Asking

        return await Asking(client, self._service, self._sizing, patience).vectors(texts)
