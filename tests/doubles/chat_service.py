"""A chat service on this machine that speaks the protocol of OpenAI; the tests write what its model says."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from aiohttp import web

from tests.doubles.embedding_service import Body, EmbeddingService

MODEL = "small-writer"


class ChatService(EmbeddingService):
    """`says` makes the text of an answer from the request. `refuses` are parameters that its model does not take, as
    newer models refuse `max_tokens`."""

    def __init__(self, key: str | None = "a-key-of-the-tests", *, refuses: Collection[str] = ()) -> None:
        super().__init__(key)
        self.models = {MODEL: 0}
        self.says: Callable[[Body], str | None] = lambda body: "Written."
        self.refuses = set(refuses)
        self.ends = "stop"

    async def _act(
        self, request: web.Request, body: Body, model: str | None, admitted: bool
    ) -> web.StreamResponse:
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


def said_to(service: ChatService) -> list[Any]:
    """The messages of each request."""
    return [one.body["messages"] for one in service.requests]
