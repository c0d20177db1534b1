"""A prompt sent to a chat service, and the text out of what it answers. Imported with the first call: needs openai."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import anyio
import openai
import structlog

from corpus.generation.promise import Generated, Prompt
from corpus.services.answers import BadAnswer, NotTheProtocol
from corpus.services.failures import again, failure
from corpus.services.patience import Patience, patiently
from corpus.text import clean

if TYPE_CHECKING:
    from corpus.services.where import Service

log = structlog.stdlib.get_logger("ibid")

_RENAMED = {"max_tokens": "max_completion_tokens"}
"""Parameters that newer models know by another name; one that has none is left out where it is refused."""


@dataclass(frozen=True, slots=True)
class Asking:
    """One way of asking one service. `without` gathers the parameters that it refused."""

    client: openai.AsyncOpenAI
    service: Service
    patience: Patience
    without: set[str]

    async def text(self, prompt: Prompt) -> Generated:
        """One line of the log, without a word of the text. Raises NotConfigured, LLMError or Timeout."""
        started, facts = perf_counter(), {"outcome": "ok"}
        try:
            with anyio.fail_after(self.patience.whole):
                written = _written(await self._adapted(prompt))
            facts |= {"prompt_tokens": written.prompt_tokens, "completion_tokens": written.completion_tokens}  # type: ignore[dict-item]
            return written
        except (openai.OpenAIError, BadAnswer, TimeoutError) as error:
            failed = failure(error, self.service)
            facts["outcome"] = failed.type
            raise failed from error
        finally:
            took = round((perf_counter() - started) * 1000, 1)
            level = log.info if facts["outcome"] == "ok" else log.warning
            level("llm.request", host=self.service.host, model=self.service.model, took_ms=took, **facts)

    async def _adapted(self, prompt: Prompt) -> bytes:
        """The answer, also from a model that refuses one of the parameters."""
        for _ in range(3):
            try:
                return await patiently(lambda: self._sent(prompt), self.patience)
            except openai.APIStatusError as error:
                refused = error.param if error.status_code in (400, 422) else None
                if refused not in ("max_tokens", "temperature") or refused in self.without:
                    raise
                self.without.add(refused)
        raise AssertionError("unreachable")

    async def _sent(self, prompt: Prompt) -> bytes:
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
            raise again(error) from error
        body: bytes = answer.content
        return body


def _messages(prompt: Prompt) -> Any:
    content: Any = prompt.text
    if prompt.pictures:
        urls = (
            f"data:{one.mime_type};base64,{base64.b64encode(one.data).decode()}" for one in prompt.pictures
        )
        pictures = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
        content = [{"type": "text", "text": prompt.text}, *pictures]
    system = [{"role": "system", "content": prompt.system}] if prompt.system else []
    return [*system, {"role": "user", "content": content}]


def _written(body: bytes) -> Generated:
    """Raises BadAnswer."""
    try:
        answer = json.loads(body)
        choice = answer["choices"][0]
        text = choice["message"]["content"]
        usage = answer.get("usage") or {}
        counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise NotTheProtocol("no text") from error
    if not isinstance(text, str) or not text.strip():
        raise BadAnswer("no text (it may have declined)")
    tokens = [one if isinstance(one, int) and one >= 0 else None for one in counts]
    return Generated(clean(text).strip(), choice.get("finish_reason") == "length", *tokens)
