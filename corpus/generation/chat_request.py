"""Send a prompt to a chat service. Imported at the first call, because it needs openai."""

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
from corpus.generation.chat_response import parse_response
from corpus.generation.protocol import Generated, Prompt
from corpus.processes.tracing import trace_span
from corpus.services.errors import error_for, retry_later
from corpus.services.retry import RetryPolicy, with_retries
from corpus.services.service import BadAnswer

if TYPE_CHECKING:
    from corpus.services.service import Service

log = structlog.stdlib.get_logger("ibid")

_RENAMED = {"max_tokens": "max_completion_tokens"}
"""Parameters that newer models know by another name. A refused parameter without one is left out."""

_FILTERED = ("content_filter", "content_policy_violation")
_TOO_LONG = ("context_length_exceeded", "string_above_max_length")


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One service, client and retry policy. `without` collects the parameters that the service refused."""

    client: openai.AsyncOpenAI
    service: Service
    patience: RetryPolicy
    without: set[str]

    async def text(self, prompt: Prompt) -> Generated:
        """Generate text; logs one line without any of the text. Raises NotConfigured, LLMError or Timeout."""
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
        """Return the response body, retrying without a parameter that the model refuses."""
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
    """Return the error for a service that works but rejects this prompt, else None."""
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
