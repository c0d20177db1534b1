"""A deployment of Azure OpenAI, as a service of models: who signs in, and what an operator checks when it refuses."""

from __future__ import annotations

from corpus.services.clients import LONGEST_ANSWER, Token, azure_client
from corpus.services.packages import usable_key
from corpus.services.where import Service

_KEY, _ADDRESS = "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT"
_ROLE = "The identity needs the role Cognitive Services OpenAI User on the resource"


def azure_service(
    endpoint: str, deployment: str, api_version: str, api_key: str | None, token: Token | None, *,
    setting: str, refused: str, gives: str, are_none: str, most: int = LONGEST_ANSWER,
) -> Service:  # fmt: skip
    """Signs in with the key, or else with the tokens of an identity. `setting` is that of the deployment, `most` bounds
    an answer, in bytes. Raises NotConfigured where there is neither a key nor a token."""
    key = usable_key(api_key, _KEY)
    return Service(
        address=endpoint,
        model=deployment,
        open=azure_client(endpoint, deployment, api_version, key, token, _KEY, most=most),
        what=f"the deployment {deployment}",
        address_setting=_ADDRESS,
        model_setting=setting,
        not_admitted=f"did not accept the {f'key. Check {_KEY}' if key else f'token. {_ROLE}'}.",
        not_allowed=f"does not allow this. {f'Check {_KEY}' if key else _ROLE}; its firewall must admit this machine.",
        not_there=f"has no deployment {deployment}, or not with API version {api_version}. Check {setting}, "
        f"{_ADDRESS} and AZURE_OPENAI_API_VERSION; a new deployment takes minutes to appear.",
        refused=refused,
        gives=gives,
        are_none=are_none,
    )
