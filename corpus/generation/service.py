"""A generator that asks a service which speaks the protocol of OpenAI's chat."""

from __future__ import annotations

from corpus.generation.protocol import Generated, Prompt
from corpus.services.clients import LazyClient
from corpus.services.packages import need
from corpus.services.patience import Patience
from corpus.services.where import Service

AN_ANSWER = Patience(whole=55, request=50, retries=1, longest_pause=10)
"""Clients give up a call after sixty seconds."""
LONGEST_BODY = 2 << 20
"""Bytes of one answer: a hundred times a long text, with what a model may have thought beside it."""
GIVES, ARE_NONE = "the text", "is no text of a chat model"


class ServiceGenerator:
    """A `TextGenerator`. Opens its connections at the first call."""

    def __init__(self, model: str, service: Service, patience: Patience) -> None:
        """Raises NotConfigured where the package is missing."""
        need("openai", extra="llm")
        self._model, self._service, self._patience = model, service, patience
        self._without: set[str] = set()
        self._client = LazyClient(service.open, imports="corpus.generation.asking")

    @property
    def id(self) -> str:
        return self._model

    async def generate(self, prompt: Prompt) -> Generated:
        client = await self._client.get()
        from corpus.generation.asking import Asking

        return await Asking(client, self._service, self._patience, self._without).text(prompt)

    async def aclose(self) -> None:
        await self._client.aclose()
