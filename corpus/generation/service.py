"""A generator that calls a service with OpenAI's chat protocol."""

from __future__ import annotations

from corpus.generation.protocol import Generated, Prompt
from corpus.services.clients import LazyClient
from corpus.services.packages import need
from corpus.services.patience import Patience
from corpus.services.where import Service

AN_ANSWER = Patience(whole=55, request=50, retries=1, longest_pause=10)
"""MCP clients give up a call after 60 seconds."""
LONGEST_BODY = 2 << 20
"""Bytes of one response: a hundred times a long text, which leaves room for reasoning."""
GIVES, ARE_NONE = "the text", "is no text of a chat model"


class ServiceGenerator:
    """A `TextGenerator` that opens its connections at the first call."""

    def __init__(self, model: str, service: Service, patience: Patience) -> None:
        """Raises NotConfigured where the package is missing."""
        need("openai", extra="llm")
        self._model, self._service, self._patience = model, service, patience
        self._without: set[str] = set()
        self._client = LazyClient(service.open, imports="corpus.generation.asking")

    @property
    def id(self) -> str:
        """The model's name."""
        return self._model

    async def generate(self, prompt: Prompt) -> Generated:
        """See `TextGenerator.generate`."""
        client = await self._client.get()
        from corpus.generation.asking import Asking

        return await Asking(client, self._service, self._patience, self._without).text(prompt)

    async def aclose(self) -> None:
        """See `TextGenerator.aclose`."""
        await self._client.aclose()
