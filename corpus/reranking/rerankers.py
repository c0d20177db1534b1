"""The two rerankers: a local cross-encoder run by fastembed, and an HTTP service.

The service's protocol is that of Cohere, Jina, vLLM and others: the request is `{model, query, documents, top_n}`, and
the response is `{results: [{index, relevance_score}]}`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio
import anyio.to_thread

from corpus.errors import IbidError, LLMError, NotConfigured, Timeout
from corpus.model_services.lazy_model import LazyModel
from corpus.model_services.service import require_package, usable_key

if TYPE_CHECKING:
    from fastembed.rerank.cross_encoder import TextCrossEncoder


LOCAL_TIMEOUT_SECONDS = 10.0
"""Maximum seconds for one query, not including the time to load the model. The user is waiting for the search."""
AT_ONCE = 8
"""Number of pairs in a batch. Larger batches need more memory but save no time."""


class CrossEncoder:
    """A local reranker that loads its model on first use, in a worker thread. If a folder is given, nothing is
    downloaded; otherwise fastembed downloads the model."""

    def __init__(self, model: str, folder: Path | None = None) -> None:
        require_package("fastembed", extra="fastembed")
        self.name = model
        self._folder = folder
        self._model = LazyModel(self._load, self._cure)

    async def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """See `Reranker.scores`. The first query also waits for the model to load. Raises Timeout after
        LOCAL_TIMEOUT_SECONDS."""
        await anyio.to_thread.run_sync(self._model.get)
        with anyio.move_on_after(LOCAL_TIMEOUT_SECONDS + 1):
            scores = await anyio.to_thread.run_sync(partial(self._scores, query, list(texts)), abandon_on_cancel=True)
            if scores is not None:
                return scores
        raise Timeout(
            f"{self.name} took more than {LOCAL_TIMEOUT_SECONDS:.0f} seconds. Fewer RAG_RERANKER_CANDIDATES take less."
        )

    async def aclose(self) -> None:
        """Drop the model. A later call loads it again."""
        self._model.drop()

    def model_name(self) -> str:
        """Return fastembed's name for the model. A model in a folder is registered first. Nothing is loaded.

        Raises NotConfigured if neither fastembed's list nor the folder contains the model.
        """
        from fastembed.common.model_description import ModelSource
        from fastembed.rerank.cross_encoder import TextCrossEncoder

        names = {model["model"].lower(): model["model"] for model in TextCrossEncoder.list_supported_models()}
        if self._folder is None:
            if self.name.lower() in names:
                return str(names[self.name.lower()])
            raise NotConfigured(
                f"fastembed has no reranker {self.name} in its list. Set RAG_RERANKER_FOLDER to a folder with it."
            )
        # fastembed has one list of models for the entire process.
        name = f"{self.name}@{self._folder}"
        if name.lower() not in names:
            TextCrossEncoder.add_custom_model(name, sources=ModelSource(hf=self.name), model_file=_file(self._folder))
        return name

    def _scores(self, query: str, texts: list[str]) -> list[float] | None:
        """Return the scores, or None if the deadline has passed. The deadline is checked between batches, so that the
        thread ends soon after its caller has given up."""
        deadline = monotonic() + LOCAL_TIMEOUT_SECONDS
        scores: list[float] = []
        for start in range(0, len(texts), AT_ONCE):
            if monotonic() > deadline:
                return None
            batch = texts[start : start + AT_ONCE]
            scores += (float(score) for score in self._model.get().rerank(query, batch, batch_size=AT_ONCE))
        if len(scores) != len(texts) or not all(map(math.isfinite, scores)):
            raise LLMError(f"The model {self.name} returned an invalid score. Its files may be damaged.")
        return scores

    def _load(self) -> TextCrossEncoder:
        from fastembed.rerank.cross_encoder import TextCrossEncoder

        return TextCrossEncoder(self.model_name(), **self._options())

    def _options(self) -> dict[str, Any]:
        if self._folder is None:
            return {}
        folder = str(self._folder)
        return {"cache_dir": folder, "local_files_only": True, "specific_model_path": folder}

    def _cure(self) -> str:
        if self._folder is not None:
            return (
                f"The reranker {self.name} could not be loaded from RAG_RERANKER_FOLDER ({self._folder}). It needs the "
                "ONNX file and the tokenizer's files there, as they are published."
            )
        return (
            f"The reranker {self.name} could not be downloaded. Check the network of this machine, or set "
            "RAG_RERANKER_FOLDER to a folder with its files."
        )


def _file(folder: Path) -> str:
    usual = ("model.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx")
    file = next((name for name in usual if (folder / name).is_file()), None)
    if file is None:
        raise NotConfigured(f"RAG_RERANKER_FOLDER ({folder}) holds no model: model.onnx is missing there.")
    return file


TIMEOUT_SECONDS = 5.0
"""Maximum seconds to wait for a response. The limit is short because the user is waiting and the index's order is a
good substitute."""
MAX_RESPONSE_BYTES = 1 << 20
"""Maximum size of a response in bytes; 30 scores need about 2 KB."""


class HttpReranker:
    """A reranking service. `url` is the full address, such as https://HOST/v2/rerank. Redirects are not followed.
    Errors do not quote the response, because it may repeat the question."""

    def __init__(self, url: str, model: str | None = None, key: str | None = None) -> None:
        self._url, self._model = url, model
        self._key = usable_key(key, "RAG_RERANKER_API_KEY")

    @property
    def name(self) -> str:
        """The host name of the service."""
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
        """Do nothing, because connections are closed after each response."""

    async def _post(self, request: dict[str, Any]) -> tuple[int, bytes]:
        import aiohttp

        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        secure = urlsplit(self._url).scheme == "https"
        try:
            async with (
                # Plain HTTP stays on this machine, so it does not use a proxy from the environment.
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
        """Parse one finite score for each text. Raises LLMError if a score is missing or invalid."""
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
                f"The answer of {self.name} is not a ranking of the given texts. Check RAG_RERANKER_URL."
            ) from None
        return [scores[n] for n in range(count)]


def _place(index: object) -> int:
    if isinstance(index, bool) or not isinstance(index, int):
        raise TypeError
    return index
