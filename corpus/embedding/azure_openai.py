"""Vectors from a deployment of Azure OpenAI."""

from __future__ import annotations

from corpus.embedding.service import ARE_NONE, GIVES, REFUSED, ServiceEmbedder
from corpus.services.azure_openai import azure_service
from corpus.services.clients import Token
from corpus.services.patience import A_QUERY, PASSAGES, Patience

_SETTING = "AZURE_OPENAI_EMBEDDING_DEPLOYMENT"


class AzureOpenAIEmbedder(ServiceEmbedder):
    """Signs in with the key, or else with the tokens of an identity. The id is the model's, as at OpenAI."""

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
        """Raises NotConfigured also where there is neither a key nor a token. `deployment` is the model's name
        where it is not given."""
        there = deployment or model
        service = azure_service(
            endpoint, there, api_version, api_key, token, setting=_SETTING, gives=GIVES, are_none=ARE_NONE,
            refused=REFUSED.format(what=f"the deployment {there}", setting=_SETTING),
        )  # fmt: skip
        super().__init__(model, dimensions, service, for_query, for_passages)
