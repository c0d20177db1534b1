"""An Azure OpenAI deployment as a model service, with the advice to give for each kind of refusal."""

from __future__ import annotations

from corpus.services.clients import LONGEST_ANSWER, Token, azure_client
from corpus.services.packages import usable_key
from corpus.services.where import Service

_KEY, _ADDRESS = "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT"
_ROLE = "The identity needs the role Cognitive Services OpenAI User on the resource"


def azure_service(
    endpoint: str, deployment: str, api_version: str, api_key: str | None, token: Token | None, *,
    setting: str, refused: str, gives: str, are_none: str, max_bytes: int = LONGEST_ANSWER,
) -> Service:  # fmt: skip
    """Describe a deployment that is called with an API key, or else with identity tokens.

    `setting` names the deployment's setting; `max_bytes` bounds one answer. Raises NotConfigured where there is
    neither key nor token.
    """
    key = usable_key(api_key, _KEY)
    return Service(
        address=endpoint,
        model=deployment,
        open=azure_client(endpoint, deployment, api_version, key, token, _KEY, max_bytes=max_bytes),
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
