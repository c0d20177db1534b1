"""Vectors from OpenAI or another service with its protocol."""

from __future__ import annotations

from corpus.embedding.service import ARE_NONE, GIVES, REFUSED, ServiceEmbedder
from corpus.services.clients import openai_client
from corpus.services.packages import usable_key
from corpus.services.patience import A_QUERY, PASSAGES, Patience
from corpus.services.where import Service

_KEY = "RAG_EMBEDDER_API_KEY"


class OpenAIEmbedder(ServiceEmbedder):
    """`base_url` is the address before `/embeddings`. No key is sent where there is none, as local services expect."""

    def __init__(
        self,
        model: str,
        base_url: str = "https://api.openai.com/v1",
        api_key: str | None = None,
        dimensions: int | None = None,
        *,
        for_query: Patience = A_QUERY,
        for_passages: Patience = PASSAGES,
    ) -> None:
        """See `ServiceEmbedder`. Raises NotConfigured also for a key that no header can carry."""
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
