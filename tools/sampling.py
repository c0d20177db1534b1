"""Ask the client's own model (MCP sampling). The call continues with the model's text, or with the reason why there is
none.

A tool declares a parameter `Annotated[Sampled, Resolve(resolver)]`. Its resolver builds the prompt and returns `await
ask(prompt, ctx, resolver, models)`; `written` then extracts the text. A tool asks the client's model only once, but may
ask the user before that (`tools/elicitation.py`).

From protocol 2026-07-28 on, the client calls the tool again with the answer, and the resolver runs again. If its prompt
then is not byte-identical, the model is asked again. Some clients never call again, such as the client of the Python
SDK when its model declines; the server cannot detect that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import anyio.to_thread
import structlog
from mcp.server.mcpserver import Context, Sample
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp.types import (
    CreateMessageRequest,
    CreateMessageResult,
    CreateMessageResultWithTools,
    SamplingMessage,
    TextContent,
)
from pydantic import ValidationError

from corpus.errors import IbidError, LLMError, Timeout
from corpus.generation.protocol import MAX_WRITTEN, Generated, Prompt, TooLong, presentable
from tools.multi_round import calls_again, ended_with_question, key_of
from tools.protocol import Models
from tools.release_slot import TooManyAside, aside, for_at_most

log = structlog.stdlib.get_logger("ibid")

_CUT = ("maxTokens", "max_tokens", "length")


@dataclass(frozen=True, slots=True)
class Unanswered:
    """The outcome if the client's model wrote nothing. `why` completes the sentence `The client's model …`."""

    why: str
    in_time: bool = True

    def as_failure(self) -> IbidError:
        """Return the error for a tool that cannot use another model."""
        message = f"The client's model {self.why}."
        if self.in_time:
            return LLMError(message, hints=("Write the text yourself.",))
        return Timeout(message, hints=("Try again, with a shorter prompt or fewer max_tokens.",))


Asked = Sample | Generated | Unanswered
Sampled = CreateMessageResult | Generated | Unanswered

NOT_OFFERED = Unanswered("is not offered by this client")
NOT_ASKED = Unanswered("is not asked")
NOT_ALLOWED = Unanswered("is not asked (RAG_SAMPLING=off)")
DECLINED = Unanswered("declined to answer")
NO_ANSWER = Unanswered("gave no readable answer")
NO_TEXT = Unanswered("gave no text")
TOO_LONG = Unanswered(f"gave a text of more than {MAX_WRITTEN} characters")
TOO_MANY = Unanswered("was not asked: too many calls are waiting for their clients", in_time=False)
TOO_SLOW = Unanswered("did not answer in time", in_time=False)
NOT_AGAIN = Unanswered("did not answer before, and is not asked again in this session", in_time=False)


def can_sample(ctx: Context[Any, Any]) -> bool:
    """Return whether the client offers a model and can be asked on this connection."""
    declared = ctx.client_capabilities
    if declared is None or declared.sampling is None:
        return False
    return calls_again(ctx) or ctx.session.can_send_request


def unasked(answer: Generated | Unanswered) -> bool:
    """Return whether the answer is missing because the client's model was not asked, which does not count as a
    failure."""
    return answer in (NOT_OFFERED, NOT_ASKED, NOT_ALLOWED)


async def ask(prompt: Prompt, ctx: Context[Any, Any], resolver: Callable[..., Any], models: Models) -> Asked:
    """Ask the client's model, without the prompt's pictures. Do not raise an error, whatever the client does.

    After a timeout, the client is not asked again in that session, because each further call would wait just as long in
    vain.
    """
    if not models.sampling:
        return NOT_ALLOWED
    if not can_sample(ctx):
        return NOT_OFFERED
    connection = ctx.session._connection  # `ctx.session` differs between requests.
    if connection in models.silent:
        return NOT_AGAIN
    answer = await _ask_model(prompt, ctx, resolver, models.sampling_seconds)
    if answer is TOO_SLOW:
        models.silent.add(connection)
    return answer


async def _ask_model(prompt: Prompt, ctx: Context[Any, Any], resolver: Callable[..., Any], seconds: float) -> Asked:
    if not calls_again(ctx):
        return await _answer_now(prompt, ctx, seconds)
    if ended_with_question(ctx, key_of(resolver)) and not _fits(ctx):
        return _noted(NO_ANSWER)
    return sample(prompt)


def sample(prompt: Prompt) -> Sample:
    """Return the sampling request for a prompt, without its pictures."""
    message = SamplingMessage(role="user", content=TextContent(type="text", text=prompt.text))
    return Sample(
        [message],
        system_prompt=prompt.system or None,
        max_tokens=prompt.max_tokens,
        temperature=prompt.temperature,
    )


async def written(sampled: Sampled) -> Generated | Unanswered:
    """Return the text of an answer. Clients report no token counts."""
    if not isinstance(sampled, CreateMessageResult):
        return sampled
    text = sampled.content.text if isinstance(sampled.content, TextContent) else ""
    return await _text(text, sampled.stop_reason)


async def _text(content: str, stopped: str | None) -> Generated | Unanswered:
    try:
        text = await anyio.to_thread.run_sync(presentable, content)
    except TooLong:
        return _noted(TOO_LONG)
    return Generated(text, stopped in _CUT) if text else _noted(NO_TEXT)


async def _answer_now(prompt: Prompt, ctx: Context[Any, Any], seconds: float) -> Generated | Unanswered:
    """Ask on a connection on which the server can send requests to the client."""
    try:
        async with aside():
            return await _client_answer(prompt, ctx, seconds)
    except TooManyAside:
        return _noted(TOO_MANY)


async def _client_answer(prompt: Prompt, ctx: Context[Any, Any], seconds: float) -> Generated | Unanswered:
    """Return the client's answer. Do not raise errors from the client, because the SDK would then end the call."""
    try:
        with for_at_most(seconds):
            result = await ctx.session.send_request(
                CreateMessageRequest(params=sample(prompt).params),
                CreateMessageResultWithTools,
                metadata=ServerMessageMetadata(related_request_id=ctx.request_id),
            )
    except TimeoutError:
        return _noted(TOO_SLOW)
    except MCPError as error:
        return _noted(DECLINED, code=error.error.code)
    except ValidationError:
        return _noted(NO_ANSWER)
    blocks = result.content if isinstance(result.content, list) else [result.content]
    return await _text("".join(block.text for block in blocks if isinstance(block, TextContent)), result.stop_reason)


def _fits(ctx: Context[Any, Any]) -> bool:
    """Return whether the client's answer has the expected type. The SDK matches answers to questions."""
    return any(isinstance(reply, CreateMessageResult) for reply in (ctx.input_responses or {}).values())


def _noted(unanswered: Unanswered, **facts: Any) -> Unanswered:
    log.info("sampling.unanswered", why=unanswered.why, **facts)
    return unanswered
