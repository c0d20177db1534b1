"""Vectors from a deployment of Azure OpenAI."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from corpus.embedding.packages import usable_key
from corpus.embedding.patience import A_QUERY, PASSAGES, Patience
from corpus.embedding.service import ServiceEmbedder
from corpus.embedding.where import Service
from corpus.errors import IbidError, NotConfigured

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_KEY = "AZURE_OPENAI_API_KEY"
_SETTING = "AZURE_OPENAI_EMBEDDING_DEPLOYMENT"
_ROLE = "The identity needs the role Cognitive Services OpenAI User on the resource"

Token = Callable[[], Awaitable[str]]


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
        if key is None and token is None:
            raise NotConfigured(f"{_KEY} is not set, and there is no Azure identity to sign in with.")
        there = deployment or model

        def opened() -> AsyncOpenAI:
            import openai

            # No retries of its own: it would wait for two minutes when a service asks for them.
            return openai.AsyncAzureOpenAI(
                azure_endpoint=endpoint, azure_deployment=there, api_version=api_version, api_key=key,
                azure_ad_token_provider=None if key or token is None else _signing(token, service.host),
                max_retries=0, timeout=600,
            )  # fmt: skip

        service = Service(
            address=endpoint,
            model=there,
            open=opened,
            what=f"the deployment {there}",
            address_setting="AZURE_OPENAI_ENDPOINT",
            model_setting=_SETTING,
            not_admitted=f"did not accept the {f'key. Check {_KEY}' if key else f'token. {_ROLE}'}.",
            not_allowed=f"does not allow this. {f'Check {_KEY}' if key else _ROLE}; its firewall must admit this "
            "machine.",
            not_there=f"has no deployment {there}, or not with API version {api_version}. Check {_SETTING}, "
            "AZURE_OPENAI_ENDPOINT and AZURE_OPENAI_API_VERSION; a new deployment takes minutes to appear.",
        )
        super().__init__(model, dimensions, service, for_query, for_passages)


def _signing(token: Token, host: str) -> Token:
    """The tokens; what hinders them is told as what the operator can do."""

    async def signed() -> str:
        try:
            return await token()
        except IbidError:
            raise
        except Exception as error:
            raise NotConfigured(
                f"No Azure identity could be used to sign in to {host}. Set {_KEY}, or sign in: `az login`, a managed "
                "identity, or AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_CLIENT_SECRET."
            ) from error

    return signed
