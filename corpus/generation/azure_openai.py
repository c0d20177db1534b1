"""Text from an Azure OpenAI deployment."""

from __future__ import annotations

from corpus.generation.service import AN_ANSWER, ARE_NONE, GIVES, LONGEST_BODY, ServiceGenerator
from corpus.services.azure_openai import azure_service
from corpus.services.clients import Token
from corpus.services.patience import Patience

_SETTING = "AZURE_OPENAI_CHAT_DEPLOYMENT"


class AzureChat(ServiceGenerator):
    """A chat deployment, called with an API key or else with identity tokens."""

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
        """`deployment` defaults to the model's name. Raises NotConfigured where there is neither key nor token."""
        name = deployment or model
        service = azure_service(
            endpoint, name, api_version, api_key, token, setting=_SETTING, gives=GIVES, are_none=ARE_NONE,
            refused=f"refused to write with the deployment {name} (status {{status}}). Check {_SETTING}, which "
            "must be of a chat model; a prompt with pictures needs one that sees.",
            max_bytes=LONGEST_BODY,
        )  # fmt: skip
        super().__init__(model, service, patience)
