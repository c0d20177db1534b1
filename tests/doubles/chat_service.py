"""A local chat service with OpenAI's protocol; the tests define the answers of its model."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Callable, Collection
from typing import Any

from aiohttp import web

from tests.doubles.embedding_service import Act, Body, EmbeddingService

MODEL = "small-writer"
DRIP = 0.02
"""Seconds between the bytes of a slowly sent answer."""


class ChatService(EmbeddingService):
    """The service. `says` computes the text of an answer from the request. `refuses` lists parameters that its model
    rejects, as newer models reject `max_tokens`."""

    def __init__(self, key: str | None = "a-key-of-the-tests", *, refuses: Collection[str] = ()) -> None:
        super().__init__(key)
        self.models = {MODEL: 0}
        self.deployments = {"prod-writer": MODEL}
        self.says: Callable[[Body], str | None] = lambda body: "Written."
        self.refuses = set(refuses)
        self.ends = "stop"

    async def _act(self, request: web.Request, body: Body, model: str | None, admitted: bool) -> web.StreamResponse:
        for name in sorted(self.refuses & body.keys()):
            error = {"message": f"Unsupported: {name}", "param": name, "code": "unsupported_parameter"}
            return web.json_response({"error": error}, status=400)
        return await super()._act(request, body, model, admitted)

    def _problem(self, body: Body, model: str) -> str | None:
        return None if body.get("messages") else "messages is missing"

    async def _answer(self, body: Body, model: str) -> Body:
        message = {"role": "assistant", "content": self.says(body)}
        return {
            "object": "chat.completion",
            "model": model,
            "choices": [{"index": 0, "message": message, "finish_reason": self.ends}],
            "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
        }


def huge(status: int = 200, *, packed: bool = False) -> Act:
    """Return an act that answers with far more than any real text. With `packed`, the answer is compressed and
    therefore short in transit."""

    def act(service: EmbeddingService, answer: Body) -> web.Response:
        body = b'{"choices": [{"message": {"content": "' + b"x" * (8 << 20)
        headers = {"Content-Type": "application/json"} | ({"Content-Encoding": "gzip"} if packed else {})
        sent = gzip.compress(body * 20, 1) if packed else body
        return web.Response(body=sent, status=status, headers=headers)

    return act


def saying_of(change: Callable[[Body], Any]) -> Act:
    """Return an act that changes the usual answer with the function."""

    def act(service: EmbeddingService, answer: Body) -> None:
        change(answer)

    return act


class Dripping(web.Response):
    """A response that sends its bytes one by one: each within the time limit, but all of them together beyond it."""

    async def write_eof(self, data: bytes = b"") -> None:
        for place in range(len(self.body or b"")):  # type: ignore[arg-type]
            await asyncio.sleep(DRIP)
            await self.write(self.body[place : place + 1])  # type: ignore[index]


def dripping(service: EmbeddingService, answer: Body) -> web.StreamResponse:
    return Dripping(body=json.dumps(answer).encode(), content_type="application/json")


def said_to(service: ChatService) -> list[Any]:
    """Return the messages of each request."""
    return [one.body["messages"] for one in service.requests]
