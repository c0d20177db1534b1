"""Text from a deployment of Azure OpenAI."""

from __future__ import annotations

from corpus.generation.service import AN_ANSWER, ARE_NONE, GIVES, LONGEST_BODY, ServiceGenerator
from corpus.services.clients import Token, azure_client
from corpus.services.packages import usable_key
from corpus.services.patience import Patience
from corpus.services.where import Service

_KEY, _ADDRESS, _DEPLOYMENT = "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_CHAT_DEPLOYMENT"
_ROLE = "The identity needs the role Cognitive Services OpenAI User on the resource"


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
        key = usable_key(api_key, _KEY)
        there = deployment or model
        service = Service(
            address=endpoint,
            model=there,
            open=azure_client(endpoint, there, api_version, key, token, _KEY, most=LONGEST_BODY),
            what=f"the deployment {there}",
            address_setting=_ADDRESS,
            model_setting=_DEPLOYMENT,
            not_admitted=f"did not accept the {f'key. Check {_KEY}' if key else f'token. {_ROLE}'}.",
            not_allowed=f"does not allow this. {f'Check {_KEY}' if key else _ROLE}; its firewall must admit this "
            "machine.",
            not_there=f"has no deployment {there}, or not with API version {api_version}. Check {_DEPLOYMENT}, "
            f"{_ADDRESS} and AZURE_OPENAI_API_VERSION; a new deployment takes minutes to appear.",
            refused=f"refused to write with the deployment {there} (status {{status}}). Check {_DEPLOYMENT}, which "
            "must be of a chat model; a prompt with pictures needs one that sees.",
            gives=GIVES,
            are_none=ARE_NONE,
        )
        super().__init__(model, service, patience)
