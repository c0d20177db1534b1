"""An embedder that asks a service which speaks the protocol of OpenAI."""

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
    """Opens its connections at the first call; `aclose` ends them, and a later call opens them again.

    Calls raise NotConfigured for what an operator must cure, LLMError and Timeout for what may pass.
    """

    def __init__(
        self,
        model: str,
        dimensions: int | None,
        service: Service,
        query: Patience = A_QUERY,
        passages: Patience = PASSAGES,
    ) -> None:
        """Raises NotConfigured where the length of the vectors cannot be known or had, or the package is missing."""
        need("openai", extra="llm")
        self._service = service
        self._model = known(model)
        self._sizing = sizing(model, dimensions)
        self._for_query = query
        self._for_passages = passages
        self._client = LazyClient(service.open, imports="corpus.embedding.asking")

    @property
    def id(self) -> str:
        """The model, with its length where that is not its own. The address does not count."""
        return self._sizing.id

    @property
    def dimensions(self) -> int:
        return self._sizing.dimensions

    async def query(self, text: str) -> Vectors:
        """One unit vector, shape (dimensions,), or an error within ten seconds."""
        vector: Vectors = (await self._vectors([self._model.query(text)], self._for_query))[0]
        return vector

    async def passages(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        cut = [self._model.passage(text) for text in texts]
        parts = [await self._vectors(batch, self._for_passages) for batch in batches(cut)]
        return np.concatenate(parts) if parts else np.zeros((0, self.dimensions), dtype=np.float32)

    async def aclose(self) -> None:
        await self._client.aclose()

    async def _vectors(self, texts: list[str], patience: Patience) -> Vectors:
        client = await self._client.get()
        from corpus.embedding.asking import Asking

        return await Asking(client, self._service, self._sizing, patience).vectors(texts)
