"""Text from a deployment of Azure OpenAI."""

from __future__ import annotations

from corpus.generation.service import AN_ANSWER, ARE_NONE, GIVES, LONGEST_BODY, ServiceGenerator
from corpus.services.azure_openai import azure_service
from corpus.services.clients import Token
from corpus.services.patience import Patience

_SETTING = "AZURE_OPENAI_CHAT_DEPLOYMENT"


class AzureChat(ServiceGenerator):
    """Signs in with the key, or else with the tokens of an identity."""

    def __init__(
        self,
        model: str,
        endpoint: str,
        api_key: str | None = None,
        *,
        deployment: str | None = None,
        api_version: str = "2024-10-21",
        token: Token | None = None,
        patience: Patience = AN_ANSWER,
    ) -> None:
        """Raises NotConfigured also where there is neither a key nor a token. `deployment` is the model's name
        where it is not given."""
        there = deployment or model
        service = azure_service(
            endpoint, there, api_version, api_key, token, setting=_SETTING, gives=GIVES, are_none=ARE_NONE,
            refused=f"refused to write with the deployment {there} (status {{status}}). Check {_SETTING}, which "
            "must be of a chat model; a prompt with pictures needs one that sees.",
            most=LONGEST_BODY,
        )  # fmt: skip
        super().__init__(model, service, patience)
