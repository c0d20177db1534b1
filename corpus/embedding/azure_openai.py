"""Vectors from a deployment of Azure OpenAI."""

from __future__ import annotations

from corpus.embedding.service import ARE_NONE, GIVES, REFUSED, ServiceEmbedder
from corpus.services.clients import Token, azure_client
from corpus.services.packages import usable_key
from corpus.services.patience import A_QUERY, PASSAGES, Patience
from corpus.services.where import Service

_KEY = "AZURE_OPENAI_API_KEY"
_SETTING = "AZURE_OPENAI_EMBEDDING_DEPLOYMENT"
_ROLE = "The identity needs the role Cognitive Services OpenAI User on the resource"


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
        key = usable_key(api_key, _KEY)
        there = deployment or model

        service = Service(
            address=endpoint,
            model=there,
            open=azure_client(endpoint, there, api_version, key, token, _KEY),
            what=f"the deployment {there}",
            address_setting="AZURE_OPENAI_ENDPOINT",
            model_setting=_SETTING,
            not_admitted=f"did not accept the {f'key. Check {_KEY}' if key else f'token. {_ROLE}'}.",
            not_allowed=f"does not allow this. {f'Check {_KEY}' if key else _ROLE}; its firewall must admit this "
            "machine.",
            not_there=f"has no deployment {there}, or not with API version {api_version}. Check {_SETTING}, "
            "AZURE_OPENAI_ENDPOINT and AZURE_OPENAI_API_VERSION; a new deployment takes minutes to appear.",
            refused=REFUSED.format(what=f"the deployment {there}", setting=_SETTING),
            gives=GIVES,
            are_none=ARE_NONE,
        )
        super().__init__(model, dimensions, service, for_query, for_passages)
