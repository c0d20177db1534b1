"""Embedders for services that use OpenAI's protocol: OpenAI, compatible services, and Azure OpenAI."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from corpus.embedding.known_models import fit_tokens, known_model, sizing
from corpus.model_services.openai_clients import LazyClient, Token, azure_service, openai_client
from corpus.model_services.service import (
    PASSAGES_POLICY,
    QUERY_POLICY,
    RetryPolicy,
    Service,
    require_package,
    usable_key,
)

if TYPE_CHECKING:
    from corpus.embedding.protocol import Vectors


MAX_TEXTS = 128
"""Maximum number of texts per request. OpenAI accepts 2,048, but less work is lost when a smaller batch fails."""
MAX_REQUEST_BYTES = 250_000
"""Maximum size of one request in bytes. OpenAI accepts 300,000 tokens, and no tokenizer produces more tokens than there
are bytes."""
SHORT_TOKENS = 340
"""Limit on the estimated number of tokens, low enough for a text in any language to fit a model with a limit of 512
tokens."""


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield batches of the texts, in order, each as large as the limits allow."""
    batch: list[str] = []
    size = 0
    for text in texts:
        length = len(text.encode())
        if batch and (len(batch) == MAX_TEXTS or size + length > MAX_REQUEST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += length
    if batch:
        yield batch


def shorten(text: str) -> str:
    """Cut the text to fit a small model. Return it unchanged if it is short enough."""
    return fit_tokens(text, SHORT_TOKENS)


GIVES, ARE_NONE = "the vectors", "are no embeddings"
REFUSED = "refused to embed with {what} (status {{status}}). Check {setting} and RAG_EMBEDDER_DIMENSIONS."


class ServiceEmbedder:
    """An embedder that opens connections at the first call, and again at the first call after `aclose`.

    Calls raise NotConfigured for problems that an operator must fix, and LLMError or Timeout for temporary failures.
    """

    def __init__(
        self,
        model: str,
        dimensions: int | None,
        service: Service,
        query: RetryPolicy = QUERY_POLICY,
        passages: RetryPolicy = PASSAGES_POLICY,
    ) -> None:
        """Initialise the embedder. Raises NotConfigured if the vector length is unknown or impossible, or if the
        package is not installed."""
        require_package("openai", extra="llm")
        self._service = service
        self._model = known_model(model)
        self._sizing = sizing(model, dimensions)
        self._for_query = query
        self._for_passages = passages
        self._client = LazyClient(service.open, imports="corpus.embedding.service_request")

    @property
    def id(self) -> str:
        """The model's name, with the vector length if it differs from the model's default. The service's address is not
        part of it."""
        return self._sizing.id

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return self._sizing.dimensions

    async def query(self, text: str) -> Vectors:
        """Embed a query: one unit vector, shape (dimensions,). Returns or raises within ten seconds."""
        vector: Vectors = (await self._vectors([self._model.query(text)], self._for_query))[0]
        return vector

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """Embed passages: unit vectors, shape (len(texts), dimensions)."""
        import numpy as np

        cut = [self._model.passage(text) for text in texts]
        parts = [await self._vectors(batch, self._for_passages) for batch in batches(cut)]
        return np.concatenate(parts) if parts else np.zeros((0, self.dimensions), dtype=np.float32)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _vectors(self, texts: list[str], patience: RetryPolicy) -> Vectors:
        client = await self._client.get()
        from corpus.embedding.service_request import EmbeddingRequest

        return await EmbeddingRequest(client, self._service, self._sizing, patience).vectors(texts)


_KEY = "RAG_EMBEDDER_API_KEY"


class OpenAIEmbedder(ServiceEmbedder):
    """An OpenAI-compatible embedder. `base_url` is the part of the address before `/embeddings`. If there is no key,
    requests are sent without one, as local services expect."""

    def __init__(
        self,
        model: str,
        base_url: str = "https://api.openai.com/v1",
        api_key: str | None = None,
        dimensions: int | None = None,
        *,
        for_query: RetryPolicy = QUERY_POLICY,
        for_passages: RetryPolicy = PASSAGES_POLICY,
    ) -> None:
        """See `ServiceEmbedder`. Also raises NotConfigured if the key is not valid in an HTTP header."""
        key = usable_key(api_key, _KEY)
        service = Service(
            address=base_url,
            model=model,
            open=openai_client(base_url, key),
            what=f"the model {model}",
            address_setting="RAG_EMBEDDER_BASE_URL",
            model_setting="RAG_EMBEDDER_MODEL",
            not_admitted=f"did not accept the key. Check {_KEY}." if key else f"asks for a key. Set {_KEY}.",
            not_allowed=f"does not allow this key to use the model {model}. Check {_KEY} and its permissions.",
            not_there=f"has no model {model}, or no embeddings at this address. Check RAG_EMBEDDER_MODEL, and "
            "RAG_EMBEDDER_BASE_URL, which ends in /v1 at most services.",
            refused=REFUSED.format(what=f"the model {model}", setting="RAG_EMBEDDER_MODEL"),
            gives=GIVES,
            are_none=ARE_NONE,
            keyless=key is None,
        )
        super().__init__(model, dimensions, service, for_query, for_passages)


_SETTING = "AZURE_OPENAI_EMBEDDING_DEPLOYMENT"


class AzureOpenAIEmbedder(ServiceEmbedder):
    """An embedding deployment in Azure OpenAI, called with an API key or with identity tokens. Its id is that of the
    model, as for OpenAI."""

    def __init__(
        self,
        model: str,
        endpoint: str,
        api_key: str | None = None,
        dimensions: int | None = None,
        *,
        deployment: str | None = None,
        api_version: str = "2024-10-21",
        token: Token | None = None,
        for_query: RetryPolicy = QUERY_POLICY,
        for_passages: RetryPolicy = PASSAGES_POLICY,
    ) -> None:
        """Initialise the embedder. `deployment` defaults to the model's name. Raises NotConfigured if there is neither
        a key nor a token function."""
        name = deployment or model
        service = azure_service(
            endpoint, name, api_version, api_key, token, setting=_SETTING, gives=GIVES, are_none=ARE_NONE,
            refused=REFUSED.format(what=f"the deployment {name}", setting=_SETTING),
        )  # fmt: skip
        super().__init__(model, dimensions, service, for_query, for_passages)
