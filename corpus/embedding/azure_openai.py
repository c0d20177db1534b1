"""Vectors from an Azure OpenAI deployment."""

from __future__ import annotations

from corpus.embedding.service import ARE_NONE, GIVES, REFUSED, ServiceEmbedder
from corpus.services.azure_openai import azure_service
from corpus.services.clients import Token
from corpus.services.patience import A_QUERY, PASSAGES, Patience

_SETTING = "AZURE_OPENAI_EMBEDDING_DEPLOYMENT"


class AzureOpenAIEmbedder(ServiceEmbedder):
    """An embedding deployment, called with an API key or else with identity tokens. Its id is the model's, as for
    OpenAI."""

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
        for_query: Patience = A_QUERY,
        for_passages: Patience = PASSAGES,
    ) -> None:
        """`deployment` defaults to the model's name. Raises NotConfigured where there is neither key nor token."""
        name = deployment or model
        service = azure_service(
            endpoint, name, api_version, api_key, token, setting=_SETTING, gives=GIVES, are_none=ARE_NONE,
            refused=REFUSED.format(what=f"the deployment {name}", setting=_SETTING),
        )  # fmt: skip
        super().__init__(model, dimensions, service, for_query, for_passages)
