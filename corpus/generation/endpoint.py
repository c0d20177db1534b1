"""Text from any service that speaks the protocol of OpenAI's chat: OpenAI, Ollama, vLLM, a LiteLLM proxy and others."""

from __future__ import annotations

from corpus.generation.promise import Generated, Prompt
from corpus.services.clients import LazyClient, openai_client
from corpus.services.packages import need, usable_key
from corpus.services.patience import Patience
from corpus.services.where import Service

AN_ANSWER = Patience(whole=60, request=50, retries=1, longest_pause=10)

_KEY, _ADDRESS, _MODEL = "RAG_LLM_API_KEY", "RAG_LLM_BASE_URL", "RAG_LLM_MODEL"


class ChatEndpoint:
    """A `TextGenerator`. `base_url` is the address before `/chat/completions`. Without a key none is sent."""

    def __init__(
        self, model: str, base_url: str, api_key: str | None = None, *, patience: Patience = AN_ANSWER
    ) -> None:
        """Raises NotConfigured where the package is missing or the key cannot be one."""
        need("openai", extra="llm")
        key = usable_key(api_key, _KEY)
        self._patience = patience
        self._without: set[str] = set()
        self._service = Service(
            address=base_url,
            model=model,
            open=openai_client(base_url, key),
            what=f"the model {model}",
            address_setting=_ADDRESS,
            model_setting=_MODEL,
            not_admitted=f"did not accept the key. Check {_KEY}." if key else f"asks for a key. Set {_KEY}.",
            not_allowed=f"does not allow this key to use the model {model}. Check {_KEY} and its permissions.",
            not_there=f"has no model {model}, or no chat at this address. Check {_MODEL}, and {_ADDRESS}, which ends "
            "in /v1 at most services.",
            refused=f"refused to write with the model {model} (status {{status}}). Check {_MODEL}; a prompt with "
            "pictures needs a model that sees.",
            gives="the text",
            are_none="is no text of a chat model",
            keyless=key is None,
        )
        self._client = LazyClient(self._service.open, imports="corpus.generation.asking")

    @property
    def id(self) -> str:
        return self._service.model

    async def generate(self, prompt: Prompt) -> Generated:
        client = await self._client.get()
        from corpus.generation.asking import Asking

        return await Asking(client, self._service, self._patience, self._without).text(prompt)

    async def aclose(self) -> None:
        await self._client.aclose()
