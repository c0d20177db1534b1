"""The language models that tools may use, from the settings."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self

import anyio

from corpus.errors import NotConfigured
from server.bootstrap import prompts, text_generator
from server.settings.model import Settings
from tools.writers import Models

if TYPE_CHECKING:
    from corpus.generation.protocol import Generated, Prompt, TextGenerator


class LazyGenerator:
    """A `TextGenerator` that is created at the first prompt, to keep its imports out of the start."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._made: TextGenerator | None = None

    @property
    def id(self) -> str:
        """The name of the model."""
        return self._settings.llm_model or ""

    async def generate(self, prompt: Prompt) -> Generated:
        """See `TextGenerator`. Also raises NotConfigured for missing settings."""
        self._made = self._made or text_generator(self._settings)
        if self._made is None:
            raise NotConfigured("RAG_LLM_MODEL is not set.")
        return await self._made.generate(prompt)

    async def aclose(self) -> None:
        """Close the model if it was created."""
        if self._made is not None:
            await self._made.aclose()


class LazyModels:
    """An async context manager that closes connections at the end. `handed` is for the tools."""

    def __init__(self, settings: Settings) -> None:
        self._endpoint = LazyGenerator(settings) if settings.llm_model else None
        listed = settings.llm_generate
        if listed is None:
            listed = self._endpoint is not None
        system = prompts(settings)["llm_generate"].text if listed else None
        self.handed = Models(self._endpoint, settings.sampling == "auto", system, settings.sampling_seconds)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._endpoint is not None:
            with anyio.CancelScope(shield=True):
                await self._endpoint.aclose()
