"""The model: whatever speaks OpenAI's chat completions with tools. Named by OPENAI_BASE_URL, OPENAI_API_KEY and
OPENAI_MODEL, as the package `openai` knows them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

TOO_LONG = ("context_length_exceeded", "string_above_max_length")


@dataclass(frozen=True, slots=True)
class ToolCall:
    id: str
    name: str
    arguments: str  # JSON as the model wrote it, which may be none


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    calls: tuple[ToolCall, ...] = ()
    refused: bool = False
    cut: bool = False  # the text ends where its tokens ended

    def as_message(self) -> dict[str, Any]:
        calls = [
            {"id": one.id, "type": "function", "function": {"name": one.name, "arguments": one.arguments}}
            for one in self.calls
        ]
        return {"role": "assistant", "content": self.text or None} | ({"tool_calls": calls} if calls else {})


class ModelFailed(Exception):
    """`too_long`: the conversation does not fit the model; anything else may pass, so the run can be taken up again."""

    def __init__(self, message: str, *, too_long: bool = False) -> None:
        super().__init__(message)
        self.too_long = too_long


class ChatModel:
    """`stream=False` for services that cannot stream calls of tools."""

    def __init__(self, model: str | None = None, *, stream: bool = True, **client: Any) -> None:
        name = model or os.environ.get("OPENAI_MODEL")
        if not name:
            raise ValueError("Set OPENAI_MODEL to the name of the model, beside OPENAI_BASE_URL and OPENAI_API_KEY.")
        if find_spec("openai") is None:
            raise ModuleNotFoundError(
                "The package openai is not installed. pip install 'ibid-mcp[llm]', or '.[llm]' in a checkout.",
                name="openai",
            )
        self._name, self._stream, self._client = name, stream, client

    @property
    def _place(self) -> str:
        """Whom it asks, without what may be secret."""
        address = str(self._client.get("base_url") or os.environ.get("OPENAI_BASE_URL") or "api.openai.com")
        return urlsplit(address).netloc.rpartition("@")[2] or address

    async def reply(self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> Reply:
        """Raises ModelFailed. What breaks off midway is asked once more."""
        import openai  # in the functions: it loads for seconds, and who only imports the agent asks no model

        for attempt in (1, 2):
            try:
                return await self._asked(messages, tools)
            except openai.AuthenticationError as error:
                raise ModelFailed(f"{self._place} does not admit this key. Check OPENAI_API_KEY.") from error
            except openai.NotFoundError as error:
                raise ModelFailed(
                    f"{self._place} knows no model {self._name} there. Check OPENAI_MODEL, and OPENAI_BASE_URL, which "
                    "usually ends in /v1."
                ) from error
            except openai.BadRequestError as error:
                raise ModelFailed(str(error), too_long=error.code in TOO_LONG) from error
            except openai.APIStatusError as error:
                raise ModelFailed(str(error)) from error
            except Exception as error:  # a stream that ends midway raises whatever its transport does
                if attempt == 2 or type(error) is openai.OpenAIError:
                    raise ModelFailed(self._told(error)) from error
        raise AssertionError("unreachable")

    def _told(self, error: Exception) -> str:
        """What failed, and the cure."""
        import openai

        if type(error) is openai.OpenAIError:  # no client can be made
            return "OPENAI_API_KEY is not set. Set it; for a service without keys, to any word, such as none."
        if isinstance(error, openai.APIConnectionError):
            return f"{self._place} is not reached. Start the service, or check OPENAI_BASE_URL."
        return (
            f"The model did not finish: {error or type(error).__name__}. Where it never does, check that {self._place} "
            "speaks chat completions (OPENAI_BASE_URL usually ends in /v1)."
        )

    async def _asked(self, messages: Sequence[dict[str, Any]], tools: Sequence[dict[str, Any]]) -> Reply:
        import openai

        request: dict[str, Any] = {"model": self._name, "messages": list(messages)}
        if tools:
            request["tools"] = list(tools)
        async with openai.AsyncOpenAI(**self._client) as client:
            if self._stream:
                return await _streamed(await client.chat.completions.create(**request, stream=True))
            answer = await client.chat.completions.create(**request)
        said, ends = answer.choices[0].message, answer.choices[0].finish_reason
        calls = tuple(ToolCall(c.id, c.function.name, c.function.arguments) for c in said.tool_calls or ())
        return Reply(said.content or said.refusal or "", calls, bool(said.refusal), ends == "length")


async def _streamed(chunks: Any) -> Reply:
    """The pieces put together. Raises EOFError where they end before the model did."""
    text, refusal, ended = "", "", None
    calls: dict[int, list[str]] = {}
    async for chunk in chunks:
        for choice in chunk.choices:
            text += choice.delta.content or ""
            refusal += choice.delta.refusal or ""
            ended = choice.finish_reason or ended
            for piece in choice.delta.tool_calls or ():
                call = calls.setdefault(piece.index, ["", "", ""])
                said = (
                    piece.id,
                    piece.function and piece.function.name,
                    piece.function and piece.function.arguments,
                )
                for place, one in enumerate(said):
                    call[place] += one or ""
    if ended is None:
        raise EOFError("the stream ended early")
    return Reply(text or refusal, tuple(ToolCall(*one) for one in calls.values()), bool(refusal), ended == "length")
