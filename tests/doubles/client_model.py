"""The scripted model of a client: its answers, in order, and its failures.

    model = ClientModel("The pump moves water. [1]")
    async with desk.client(era, model) as client:
        result = await client.call_tool("rag_synthesize", {"query": "What does the pump do?"})
    assert "What does the pump do?" in model.prompts[0]

An answer is a text, or one of `cut(text)`, `declines`, `raises`, `hangs`, `says_nothing`, `shows_a_picture`,
`in_another_shape`, or any function of the request. The last answer repeats. With the client of the SDK over the
protocol from 2026-07-28 on, `declines` and `raises` end the call in the client, as an exception of `call_tool`, and
nothing reaches the server. Over the earlier protocol (`era="legacy"`), and with `tests.doubles.raw_client_model`, the
server must handle them.
"""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from mcp.types import (
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitResult,
    ErrorData,
    ImageContent,
    TextContent,
)

Act = Callable[[CreateMessageRequestParams], Awaitable[Any]]


class ClientModel:
    """A sampling callback. `requests` are the requests of the server, and `prompts` their texts without the system
    prompt."""

    def __init__(self, *says: str | Act) -> None:
        self._says = list(says)
        self.requests: list[CreateMessageRequestParams] = []
        self.asked = anyio.Event()

    async def __call__(self, context: Any, params: CreateMessageRequestParams) -> Any:
        act = self._says[min(len(self.requests), len(self._says) - 1)]
        self.requests.append(params)
        self.asked.set()
        return said(act) if isinstance(act, str) else await act(params)

    @property
    def prompts(self) -> list[str]:
        return [one.messages[0].content.text for one in self.requests]  # type: ignore[union-attr]


def said(text: str, stop_reason: str | None = "endTurn") -> CreateMessageResult:
    return CreateMessageResult(
        role="assistant",
        content=TextContent(type="text", text=text),
        model="scripted",
        stop_reason=stop_reason,
    )


def cut(text: str) -> Act:
    """Answer with the text, cut off at the token limit."""

    async def act(params: CreateMessageRequestParams) -> CreateMessageResult:
        return said(text, "maxTokens")

    return act


async def declines(params: CreateMessageRequestParams) -> ErrorData:
    """Answer that the user refused, with the text from the specification."""
    return ErrorData(code=-1, message="User rejected sampling request: the client's own words")


async def raises(params: CreateMessageRequestParams) -> None:
    raise RuntimeError("the client's own words")


async def hangs(params: CreateMessageRequestParams) -> None:
    await anyio.sleep_forever()


async def says_nothing(params: CreateMessageRequestParams) -> CreateMessageResult:
    return said(" \n")


async def shows_a_picture(params: CreateMessageRequestParams) -> CreateMessageResult:
    picture = ImageContent(type="image", data=base64.b64encode(b"x").decode(), mime_type="image/png")
    return CreateMessageResult(role="assistant", content=picture, model="scripted")


async def in_another_shape(params: CreateMessageRequestParams) -> ElicitResult:
    return ElicitResult(action="decline")
