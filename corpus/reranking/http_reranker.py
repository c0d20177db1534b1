"""A reranker behind an HTTP address, with the request format of Cohere, Jina, vLLM and others.

Request: `{model, query, documents, top_n}`. Response: `{results: [{index, relevance_score}]}`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import anyio

from corpus.errors import IbidError, LLMError, NotConfigured, Timeout
from corpus.services.service import usable_key

TIMEOUT_SECONDS = 5.0
"""Seconds for one response. Somebody waits, and the index's own order is a good one."""
MAX_RESPONSE_BYTES = 1 << 20
"""Bytes of a response: 30 scores take about 2 KB."""


class HttpReranker:
    """`url` is the full address, such as https://HOST/v2/rerank. Redirects are not followed. Errors never quote the
    response: it may repeat the question."""

    def __init__(self, url: str, model: str | None = None, key: str | None = None) -> None:
        self._url, self._model = url, model
        self._key = usable_key(key, "RAG_RERANKER_API_KEY")

    @property
    def name(self) -> str:
        """The host."""
        return urlsplit(self._url).netloc.rpartition("@")[2]

    async def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """See `Reranker.scores`."""
        request = {"query": query, "documents": list(texts), "top_n": len(texts)}
        if self._model:
            request["model"] = self._model
        try:
            with anyio.fail_after(TIMEOUT_SECONDS):
                status, body = await self._post(request)
        except TimeoutError:
            raise Timeout(f"{self.name} did not answer within {TIMEOUT_SECONDS:.0f} seconds.") from None
        if status != 200:
            raise self._error(status)
        return self._scores_of(body, len(texts))

    async def aclose(self) -> None:
        """Do nothing: connections are closed after each response."""

    async def _post(self, request: dict[str, Any]) -> tuple[int, bytes]:
        import aiohttp

        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        secure = urlsplit(self._url).scheme == "https"
        try:
            async with (
                # A proxy from the environment is not used for plain HTTP, which is on this machine.
                aiohttp.ClientSession(trust_env=secure, auto_decompress=False) as session,
                session.post(self._url, json=request, headers=headers, allow_redirects=False) as answer,
            ):
                body = b""
                while len(body) <= MAX_RESPONSE_BYTES and (part := await answer.content.read(65536)):
                    body += part
                return answer.status, body
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise LLMError(
                f"{self.name} is not reached ({type(error).__name__}). Start the service, or check RAG_RERANKER_URL."
            ) from None

    def _error(self, status: int) -> IbidError:
        if status in (408, 429) or status >= 500:
            return LLMError(f"{self.name} failed (status {status}). The next search asks it again.")
        if status in (401, 403):
            return NotConfigured(f"{self.name} does not admit this key. Check RAG_RERANKER_API_KEY.")
        return NotConfigured(
            f"{self.name} refuses the request (status {status}). Check RAG_RERANKER_URL and RAG_RERANKER_MODEL."
        )

    def _scores_of(self, body: bytes, count: int) -> list[float]:
        """Parse one finite score for each text. Raises LLMError unless the ranking is complete."""
        try:
            if len(body) > MAX_RESPONSE_BYTES:
                raise ValueError
            rows = json.loads(body)["results"]
            scores = {_place(row["index"]): float(row["relevance_score"]) for row in rows}
            if len(rows) != count or scores.keys() != set(range(count)):
                raise ValueError
            if not all(map(math.isfinite, scores.values())):
                raise ValueError
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            raise LLMError(
                f"What {self.name} answered is no ranking of what it was given. Check RAG_RERANKER_URL."
            ) from None
        return [scores[n] for n in range(count)]


def _place(index: object) -> int:
    if isinstance(index, bool) or not isinstance(index, int):
        raise TypeError
    return index
