"""Generators that call a service with OpenAI's chat protocol: any compatible one, or Azure OpenAI."""

from __future__ import annotations

from corpus.generation.protocol import Generated, Prompt
from corpus.services.clients import LazyClient, Token, azure_service, openai_client
from corpus.services.retry import RetryPolicy
from corpus.services.service import Service, require_package, usable_key

ANSWER_POLICY = RetryPolicy(whole=55, request=50, retries=1, longest_pause=10)
"""MCP clients give up a call after 60 seconds."""
MAX_BODY_BYTES = 2 << 20
"""Bytes of one response: a hundred times a long text, which leaves room for reasoning."""
GIVES, ARE_NONE = "the text", "is no text of a chat model"


class ServiceGenerator:
    """A `TextGenerator` that opens its connections at the first call."""

    def __init__(self, model: str, service: Service, patience: RetryPolicy) -> None:
        """Raises NotConfigured where the package is missing."""
        require_package("openai", extra="llm")
        self._model, self._service, self._patience = model, service, patience
        self._without: set[str] = set()
        self._client = LazyClient(service.open, imports="corpus.generation.chat_request")

    @property
    def id(self) -> str:
        """The model's name."""
        return self._model

    async def generate(self, prompt: Prompt) -> Generated:
        """See `TextGenerator.generate`."""
        client = await self._client.get()
        from corpus.generation.chat_request import ChatRequest

        return await ChatRequest(client, self._service, self._patience, self._without).text(prompt)

    async def aclose(self) -> None:
        """See `TextGenerator.aclose`."""
        await self._client.aclose()


_KEY, _ADDRESS, _MODEL = "RAG_LLM_API_KEY", "RAG_LLM_BASE_URL", "RAG_LLM_MODEL"


class ChatEndpoint(ServiceGenerator):
    """`base_url` is the address before `/chat/completions`. No key is sent where there is none."""

    def __init__(
        self, model: str, base_url: str, api_key: str | None = None, *, patience: RetryPolicy = ANSWER_POLICY
    ) -> None:
        """Raises NotConfigured where the package is missing or the key cannot be one."""
        key = usable_key(api_key, _KEY)
        service = Service(
            address=base_url,
            model=model,
            open=openai_client(base_url, key, max_bytes=MAX_BODY_BYTES),
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
        patience: RetryPolicy = ANSWER_POLICY,
    ) -> None:
        """`deployment` defaults to the model's name. Raises NotConfigured where there is neither key nor token."""
        name = deployment or model
        service = azure_service(
            endpoint, name, api_version, api_key, token, setting=_SETTING, gives=GIVES, are_none=ARE_NONE,
            refused=f"refused to write with the deployment {name} (status {{status}}). Check {_SETTING}, which "
            "must be of a chat model; a prompt with pictures needs one that sees.",
            max_bytes=MAX_BODY_BYTES,
        )  # fmt: skip
        super().__init__(model, service, patience)
