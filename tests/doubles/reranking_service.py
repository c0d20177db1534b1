"""A local reranker with the request format of Cohere, Jina and vLLM: a text with more words of the query scores higher.
It can also be slow, overloaded or wrong: the acts in `next` are applied to the next requests."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.doubles.serving import served

Rows = list[dict[str, Any]]
Act = Callable[[Rows], web.Response | None]


class RerankingService:
    """An async context manager. `requests` are the received bodies."""

    def __init__(self, key: str | None = None) -> None:
        self.key = key
        self.requests: list[dict[str, Any]] = []
        self.next: deque[Act] = deque()
        self._closing = asyncio.Event()

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/v1/rerank", self._rerank)
        self._runner, port = await served(app)
        self.url = f"http://127.0.0.1:{port}/v1/rerank"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        await self._runner.cleanup()

    async def _rerank(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.requests.append(body)
        if self.key and request.headers.get("Authorization") != f"Bearer {self.key}":
            return web.json_response({"message": "no"}, status=401)
        wanted = set(body["query"].lower().split())
        scores = [len(wanted & set(text.lower().split())) / len(wanted) for text in body["documents"]]
        rows = [{"index": n, "relevance_score": score} for n, score in enumerate(scores)]
        rows.sort(key=lambda row: -row["relevance_score"])
        act = self.next.popleft() if self.next else None
        if act is hanging:
            await self._closing.wait()
        done = act(rows) if act else None
        return done if done is not None else web.json_response({"results": rows[: body["top_n"]]})


def hanging(rows: Rows) -> None:
    """Do not answer while the service runs."""


def answering(status: int) -> Act:
    return lambda rows: web.Response(status=status, text="the service's own words")


def saying(text: str) -> Act:
    return lambda rows: web.Response(text=text)


def lying(change: Callable[[Rows], Any]) -> Act:
    """Answer with the rows changed by the function."""

    def act(rows: Rows) -> None:
        change(rows)

    return act
