"""Text from a service that speaks OpenAI's chat protocol: OpenAI, Ollama, vLLM, a LiteLLM proxy and others."""

from __future__ import annotations

from corpus.generation.service import AN_ANSWER, ARE_NONE, GIVES, LONGEST_BODY, ServiceGenerator
from corpus.services.clients import openai_client
from corpus.services.packages import usable_key
from corpus.services.patience import Patience
from corpus.services.where import Service

_KEY, _ADDRESS, _MODEL = "RAG_LLM_API_KEY", "RAG_LLM_BASE_URL", "RAG_LLM_MODEL"


class ChatEndpoint(ServiceGenerator):
    """`base_url` is the address before `/chat/completions`. No key is sent where there is none."""

    def __init__(
        self, model: str, base_url: str, api_key: str | None = None, *, patience: Patience = AN_ANSWER
    ) -> None:
        """Raises NotConfigured where the package is missing or the key cannot be one."""
        key = usable_key(api_key, _KEY)
        service = Service(
            address=base_url,
            model=model,
            open=openai_client(base_url, key, max_bytes=LONGEST_BODY),
            what=f"the model {model}",
            address_setting=_ADDRESS,
            model_setting=_MODEL,
            not_admitted=f"did not accept the key. Check {_KEY}." if key else f"asks for a key. Set {_KEY}.",
            not_allowed=f"does not allow this key to use the model {model}. Check {_KEY} and its permissions.",
            not_there=f"has no model {model}, or no chat at this address. Check {_MODEL}, and {_ADDRESS}, which ends "
            "in /v1 at most services.",
            refused=f"refused to write with the model {model} (status {{status}}). Check {_MODEL}; a prompt with "
            "pictures needs a model that sees.",
            gives=GIVES,
            are_none=ARE_NONE,
            keyless=key is None,
        )
        super().__init__(model, service, patience)
