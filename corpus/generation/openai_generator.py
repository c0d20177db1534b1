"""Generators that call a service with OpenAI's chat protocol: any compatible service, or Azure OpenAI."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import openai
import structlog

from corpus.errors import IbidError, LLMError
from corpus.generation.protocol import Generated, Prompt, parse_response
from corpus.model_services.openai_clients import LazyClient, Token, azure_service, openai_client
from corpus.model_services.openai_errors import error_for, retry_later
from corpus.model_services.service import BadAnswer, RetryPolicy, Service, require_package, usable_key, with_retries
from corpus.processes.tracing import trace_span

if TYPE_CHECKING:
    from corpus.model_services.service import Service


log = structlog.stdlib.get_logger("ibid")

_RENAMED = {"max_tokens": "max_completion_tokens"}
"""Parameter names that newer models use, by old name. If a parameter is refused and has no new name, it is omitted."""

_FILTERED = ("content_filter", "content_policy_violation")
_TOO_LONG = ("context_length_exceeded", "string_above_max_length")


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """Sends requests to one service, with one client and retry policy. `without` collects the parameters that the
    service refused."""

    client: openai.AsyncOpenAI
    service: Service
    patience: RetryPolicy
    without: set[str]

    async def text(self, prompt: Prompt) -> Generated:
        """Generate text, and log one line that contains none of it. Raise NotConfigured, LLMError or Timeout."""
        with trace_span(
            "generation", model=self.service.model, host=self.service.host, max_tokens=prompt.max_tokens,
            temperature=prompt.temperature, system=prompt.system, asked=prompt.text,
        ) as note:  # fmt: skip
            answer = await self._generate(prompt)
            note(
                prompt_tokens=answer.prompt_tokens, completion_tokens=answer.completion_tokens,
                written=answer.text,
            )  # fmt: skip
            return answer

    async def _generate(self, prompt: Prompt) -> Generated:
        started, facts = perf_counter(), {"outcome": "ok"}
        try:
            with anyio.fail_after(self.patience.whole):
                answer = await anyio.to_thread.run_sync(parse_response, await self._body(prompt))
            facts |= {"prompt_tokens": answer.prompt_tokens, "completion_tokens": answer.completion_tokens}  # type: ignore[dict-item]
            return answer
        except (openai.OpenAIError, BadAnswer, TimeoutError) as error:
            failed = _rejection(error, self.service) or error_for(error, self.service)
            facts["outcome"] = failed.type
            raise failed from error
        finally:
            took = round((perf_counter() - started) * 1000, 1)
            level = log.info if facts["outcome"] == "ok" else log.warning
            level("llm.request", host=self.service.host, model=self.service.model, took_ms=took, **facts)

    async def _body(self, prompt: Prompt) -> bytes:
        """Return the response body. If the model refuses a parameter, retry without it."""
        for _ in range(3):
            try:
                return await with_retries(lambda: self._request(prompt), self.patience)
            except openai.APIStatusError as error:
                refused = error.param if error.status_code in (400, 422) else None
                if refused not in ("max_tokens", "temperature") or refused in self.without:
                    raise
                self.without.add(refused)
        raise AssertionError("unreachable")

    async def _request(self, prompt: Prompt) -> bytes:
        wishes: dict[str, Any] = {"max_tokens": prompt.max_tokens, "temperature": prompt.temperature}
        for name in self.without:
            value = wishes.pop(name)
            if name in _RENAMED:
                wishes[_RENAMED[name]] = value
        try:
            answer = await self.client.chat.completions.with_raw_response.create(
                model=self.service.model,
                messages=_messages(prompt),
                extra_headers={"Authorization": openai.omit} if self.service.keyless else None,
                **wishes,
            )
        except openai.OpenAIError as error:
            raise retry_later(error) from error
        body: bytes = answer.content
        return body


def _rejection(error: Exception, service: Service) -> IbidError | None:
    """Return the error if a working service rejects this particular prompt, or None for any other failure."""
    code = error.code if isinstance(error, openai.APIStatusError) else None
    if code in _FILTERED:
        return LLMError(
            f"{service.host} declined to write: its content filter stopped the prompt.",
            hints=("The same prompt is declined again; other words or other data may pass.",),
        )
    if code in _TOO_LONG:
        return LLMError(
            f"The prompt is longer than {service.what} at {service.host} can take.",
            hints=("Ask with a shorter prompt or less context.",),
        )
    return None


def _messages(prompt: Prompt) -> Any:
    content: Any = prompt.text
    if prompt.pictures:
        urls = (
            f"data:{picture.mime_type};base64,{base64.b64encode(picture.data).decode()}" for picture in prompt.pictures
        )
        pictures = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
        content = [{"type": "text", "text": prompt.text}, *pictures]
    system = [{"role": "system", "content": prompt.system}] if prompt.system else []
    return [*system, {"role": "user", "content": content}]


ANSWER_POLICY = RetryPolicy(whole=55, request=50, retries=1, longest_pause=10)
"""Retry policy for answers. MCP clients give up on a call after 60 seconds."""
MAX_BODY_BYTES = 2 << 20
"""Maximum size of a response in bytes: a hundred times the size of a long text, to leave room for reasoning."""
GIVES, ARE_NONE = "the text", "is no text of a chat model"


class ServiceGenerator:
    """A `TextGenerator` that opens its connections on the first call."""

    def __init__(self, model: str, service: Service, patience: RetryPolicy) -> None:
        """Initialise the generator. Raise NotConfigured if the package is missing."""
        require_package("openai", extra="llm")
        self._model, self._service, self._patience = model, service, patience
        self._without: set[str] = set()
        self._client = LazyClient(service.open, imports="corpus.generation.openai_generator")

    @property
    def id(self) -> str:
        """Return the model's name."""
        return self._model

    async def generate(self, prompt: Prompt) -> Generated:
        """See `TextGenerator.generate`."""
        client = await self._client.get()

        return await ChatRequest(client, self._service, self._patience, self._without).text(prompt)

    async def aclose(self) -> None:
        """See `TextGenerator.aclose`."""
        await self._client.aclose()


_KEY, _ADDRESS, _MODEL = "RAG_LLM_API_KEY", "RAG_LLM_BASE_URL", "RAG_LLM_MODEL"


class ChatEndpoint(ServiceGenerator):
    """A generator for an OpenAI-compatible service. `base_url` is the address before `/chat/completions`. If `api_key`
    is None, no key is sent."""

    def __init__(
        self, model: str, base_url: str, api_key: str | None = None, *, patience: RetryPolicy = ANSWER_POLICY
    ) -> None:
        """Initialise the generator. Raise NotConfigured if the package is missing or the key is malformed."""
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
    """A chat deployment, called with an API key or with identity tokens."""

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
        """Initialise the generator. `deployment` defaults to the model's name. Raise NotConfigured if both the key and
        the token are missing."""
        name = deployment or model
        service = azure_service(
            endpoint, name, api_version, api_key, token, setting=_SETTING, gives=GIVES, are_none=ARE_NONE,
            refused=f"refused to write with the deployment {name} (status {{status}}). Check {_SETTING}, which "
            "must be of a chat model; a prompt with pictures needs one that sees.",
            max_bytes=MAX_BODY_BYTES,
        )  # fmt: skip
        super().__init__(model, service, patience)
