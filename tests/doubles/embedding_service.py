"""A local embedding service with the protocols of OpenAI and Azure OpenAI.

It computes its vectors from the words, so that texts with common words are close. It can also be slow, overloaded or
wrong: the acts in `next` are applied to the next requests, in order.
"""

from __future__ import annotations

import asyncio
import base64
import ssl
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import numpy as np
from aiohttp import web

from tests.doubles.digest_embedder import DigestEmbedder
from tests.doubles.serving import served

Body = dict[str, Any]
Act = Callable[["EmbeddingService", Body], web.StreamResponse | None]


@dataclass(frozen=True)
class Request:
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Body

    @property
    def texts(self) -> list[str]:
        return list(self.body["input"])


class EmbeddingService:
    """An async context manager. `base_url` is for OpenAI's protocol, `endpoint` for Azure OpenAI's. `models` maps names
    to the lengths of their vectors, `deployments` maps names to models. A request without `key`, as a Bearer token or
    an `api-key`, is refused. If `key` is None, all requests are accepted."""

    def __init__(self, key: str | None = "a-key-of-the-tests", *, longest: int = 32_000, most: int = 2048) -> None:
        self.key = key
        self.models = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "company-model": 96}
        self.deployments = {"prod-embeddings": "text-embedding-3-small"}
        self.requests: list[Request] = []
        self.next: deque[Act] = deque()
        self.floats = False
        self.asked = asyncio.Event()
        self._longest, self._most = longest, most
        self._closing = asyncio.Event()
        self._port = 0

    async def __aenter__(self) -> Self:
        return await self.start()

    async def start(self, tls: ssl.SSLContext | None = None) -> Self:
        app = web.Application(client_max_size=64 << 20)
        app.router.add_post("/v1/embeddings", self._openai)
        app.router.add_post("/openai/deployments/{deployment}/embeddings", self._azure)
        app.router.add_post("/v1/chat/completions", self._openai)
        app.router.add_post("/openai/deployments/{deployment}/chat/completions", self._azure)
        self._runner, self._port = await served(app, tls)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def stop(self) -> None:
        self._closing.set()
        await self._runner.cleanup()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def base_url(self) -> str:
        return f"{self.endpoint}/v1"

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._port}"

    async def vector(self, text: str, model: str = "text-embedding-3-small", dimensions: int | None = None) -> Any:
        """Return the vector that the service returns for a text."""
        whole = await DigestEmbedder(model, self.models[model]).query(text)
        cut = whole[: dimensions or len(whole)]
        return cut / np.linalg.norm(cut)

    async def _openai(self, request: web.Request) -> web.StreamResponse:
        body = await self._noted(request)
        admitted = request.headers.get("Authorization") == f"Bearer {self.key}"
        return await self._act(request, body, body.get("model"), admitted)

    async def _azure(self, request: web.Request) -> web.StreamResponse:
        body = await self._noted(request)
        if "api-version" not in request.query:
            return refusal(404, "Resource not found")
        given = request.headers.get("api-key"), request.headers.get("Authorization")
        admitted = given in ((self.key, None), (None, f"Bearer {self.key}"))
        model = self.deployments.get(request.match_info["deployment"])
        return await self._act(request, body, model, admitted)

    async def _noted(self, request: web.Request) -> Body:
        body: Body = await request.json()
        self.requests.append(Request(request.path, dict(request.query), dict(request.headers), body))
        self.asked.set()
        return body

    async def _act(self, request: web.Request, body: Body, model: str | None, admitted: bool) -> web.StreamResponse:
        act = self.next.popleft() if self.next else None
        if act is hanging:
            await self._closing.wait()
        if act is dropped and request.transport is not None:
            request.transport.close()
        if not admitted and self.key is not None:
            return refusal(401, "Incorrect API key provided")
        if model not in self.models:
            return refusal(404, f"The model {model} does not exist")
        if (problem := self._problem(body, model)) is not None:
            return refusal(400, problem)
        answer = await self._answer(body, model)
        return (act(self, answer) if act else None) or web.json_response(answer)

    def _problem(self, body: Body, model: str) -> str | None:
        texts, dimensions = body.get("input"), body.get("dimensions")
        if not isinstance(texts, list) or not 0 < len(texts) <= self._most or not all(texts):
            return "'$.input' is invalid."
        if any(len(text) > self._longest for text in texts):
            return f"The maximum context length is exceeded: {texts[0][:20]}"
        if dimensions is not None and not ("-3-" in model and 0 < dimensions <= self.models[model]):
            return "This model does not support specifying dimensions."
        return None

    async def _answer(self, body: Body, model: str) -> Body:
        rows = [await self.vector(text, model, body.get("dimensions")) for text in body["input"]]
        plain = self.floats or body.get("encoding_format", "float") == "float"
        given = [row.tolist() if plain else in_base64(row) for row in rows]
        return {
            "object": "list",
            "model": model,
            "data": [{"object": "embedding", "index": n, "embedding": one} for n, one in enumerate(given)],
            "usage": {"prompt_tokens": 1, "total_tokens": 1},
        }


def in_base64(numbers: Any) -> str:
    return base64.b64encode(np.asarray(numbers, dtype="<f4").tobytes()).decode()


def refusal(status: int, message: str, code: str | None = None, **headers: str) -> web.Response:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
    return web.json_response(
        {"error": error},
        status=status,
        headers={name.replace("_", "-"): said for name, said in headers.items()},
    )


def answering(status: int, code: str | None = None, **headers: str) -> Act:
    """Refuse, with headers such as `retry_after="1"`."""
    return lambda service, answer: refusal(status, "the service's own words", code, **headers)


def redirecting(to: str, status: int = 307) -> Act:
    return lambda service, answer: web.Response(status=status, headers={"Location": to})


def hanging(service: EmbeddingService, answer: Body) -> None:
    """Do not answer while the service runs."""


def dropped(service: EmbeddingService, answer: Body) -> None:
    """Close the connection without an answer."""


def saying(text: str, content_type: str = "text/html") -> Act:
    return lambda service, answer: web.Response(text=text, content_type=content_type)


def lying(change: Callable[[list[Body]], Any]) -> Act:
    """Answer with `data` changed by the function."""

    def act(service: EmbeddingService, answer: Body) -> None:
        change(answer["data"])

    return act
