"""Texts sent to a service, and vectors out of what it answers. Imported with the first call: it needs openai."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

import anyio
import numpy as np
import openai
import structlog

from corpus.embedding.batches import shorter
from corpus.embedding.failures import TOO_MUCH, failure
from corpus.embedding.vectors import rows_of, unit_rows
from corpus.services.answers import BadAnswer
from corpus.services.failures import again
from corpus.services.patience import Patience, patiently

if TYPE_CHECKING:
    from corpus.embedding.known_models import Sizing
    from corpus.embedding.protocol import Vectors
    from corpus.services.where import Service

log = structlog.stdlib.get_logger("ibid")


@dataclass(frozen=True, slots=True)
class Asking:
    """One way of asking one service."""

    client: openai.AsyncOpenAI
    service: Service
    sizing: Sizing
    patience: Patience

    async def vectors(self, texts: list[str]) -> Vectors:
        """Unit vectors, and one line of the log. Raises NotConfigured, LLMError or Timeout."""
        started, outcome = perf_counter(), "ok"
        try:
            with anyio.fail_after(self.patience.whole):
                return await self._taken(texts)
        except (openai.OpenAIError, BadAnswer, TimeoutError) as error:
            failed = failure(error, self.service)
            outcome = failed.type
            raise failed from error
        finally:
            took = round((perf_counter() - started) * 1000, 1)
            level = log.debug if outcome == "ok" else log.warning
            level("embedder.request", host=self.service.host, texts=len(texts), took_ms=took, outcome=outcome)

    async def _taken(self, texts: list[str]) -> Vectors:
        """The vectors, also from a service that takes fewer texts at once, or shorter ones, than OpenAI does."""
        try:
            return await self._answered(texts)
        except openai.APIStatusError as error:
            if error.status_code not in TOO_MUCH:
                raise
            if len(texts) == 1:
                if (less := shorter(texts[0])) == texts[0]:
                    raise
                return await self._answered([less])
        half = len(texts) // 2
        return np.concatenate([await self._taken(part) for part in (texts[:half], texts[half:])])

    async def _answered(self, texts: list[str]) -> Vectors:
        body = await patiently(lambda: self._sent(texts), self.patience)
        return unit_rows(rows_of(body, len(texts)), self.sizing.dimensions)

    async def _sent(self, texts: list[str]) -> bytes:
        asked = self.sizing.asked
        try:
            answer = await self.client.embeddings.with_raw_response.create(
                input=texts,
                model=self.service.model,
                encoding_format="base64",
                dimensions=openai.omit if asked is None else asked,
                extra_headers={"Authorization": openai.omit} if self.service.keyless else None,
            )
        except openai.OpenAIError as error:
            raise again(error) from error
        return answer.content
