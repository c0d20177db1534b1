"""Send texts to an embedding service. This module is imported at the first call, because it imports openai."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

import anyio
import numpy as np
import openai
import structlog

from corpus.embedding.openai_embedder import shorten
from corpus.embedding.vector_checks import WrongLength, rows_of, unit_rows
from corpus.errors import IbidError, NotConfigured
from corpus.model_services import openai_errors
from corpus.model_services.openai_errors import retry_later
from corpus.model_services.service import BadAnswer, RetryPolicy, with_retries

if TYPE_CHECKING:
    from corpus.embedding.known_models import Sizing
    from corpus.embedding.protocol import Vectors
    from corpus.model_services.service import Service


TOO_MUCH = frozenset({400, 413, 422})
"""HTTP status codes that services return if a request contains too many or too long texts."""


def embedding_error(error: Exception, service: Service) -> IbidError:
    """Return the error to raise for an exception from openai, from the deadline or from the checks of the response."""
    if isinstance(error, WrongLength):
        return NotConfigured(
            f"{service.what} at {service.host} gives {error}. Set RAG_EMBEDDER_DIMENSIONS={error.length}, or check "
            f"{service.model_setting}."
        )
    return openai_errors.error_for(error, service)


log = structlog.stdlib.get_logger("ibid")


@dataclass(frozen=True, slots=True)
class EmbeddingRequest:
    """A service, its client and a retry policy."""

    client: openai.AsyncOpenAI
    service: Service
    sizing: Sizing
    patience: RetryPolicy

    async def vectors(self, texts: list[str]) -> Vectors:
        """Embed texts: unit vectors, shape (len(texts), dimensions). Log one line. Raises NotConfigured, LLMError or
        Timeout."""
        started, outcome = perf_counter(), "ok"
        try:
            with anyio.fail_after(self.patience.whole):
                return await self._split(texts)
        except (openai.OpenAIError, BadAnswer, TimeoutError) as error:
            failed = embedding_error(error, self.service)
            outcome = failed.type
            raise failed from error
        finally:
            took = round((perf_counter() - started) * 1000, 1)
            level = log.debug if outcome == "ok" else log.warning
            level("embedder.request", host=self.service.host, texts=len(texts), took_ms=took, outcome=outcome)

    async def _split(self, texts: list[str]) -> Vectors:
        """Embed texts. If the service accepts less than OpenAI does, halve the batch or shorten a text."""
        try:
            return await self._vectors(texts)
        except openai.APIStatusError as error:
            if error.status_code not in TOO_MUCH:
                raise
            if len(texts) == 1:
                if (less := shorten(texts[0])) == texts[0]:
                    raise
                return await self._vectors([less])
        half = len(texts) // 2
        return np.concatenate([await self._split(part) for part in (texts[:half], texts[half:])])

    async def _vectors(self, texts: list[str]) -> Vectors:
        body = await with_retries(lambda: self._request(texts), self.patience)
        return unit_rows(rows_of(body, len(texts)), self.sizing.dimensions)

    async def _request(self, texts: list[str]) -> bytes:
        dimensions = self.sizing.parameter
        try:
            answer = await self.client.embeddings.with_raw_response.create(
                input=texts,
                model=self.service.model,
                encoding_format="base64",
                dimensions=openai.omit if dimensions is None else dimensions,
                extra_headers={"Authorization": openai.omit} if self.service.keyless else None,
            )
        except openai.OpenAIError as error:
            raise retry_later(error) from error
        return answer.content
