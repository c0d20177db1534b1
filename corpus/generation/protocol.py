"""What every generator of text promises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from corpus.blocks import Picture


@dataclass(frozen=True, slots=True)
class Prompt:
    """`system` says how to write and `text` what about; `pictures` go with the text to models that see."""

    text: str
    system: str = ""
    pictures: tuple[Picture, ...] = ()
    max_tokens: int = 1000
    temperature: float = 0.2


@dataclass(frozen=True, slots=True)
class Generated:
    """`cut` tells that the text ends where its tokens ended. Counts are None where the model reports none."""

    text: str
    cut: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class TextGenerator(Protocol):
    @property
    def id(self) -> str:
        """The model's name, for logs and for the mark of what it wrote."""

    async def generate(self, prompt: Prompt) -> Generated:
        """Raises NotConfigured for what an operator must cure, LLMError and Timeout for what may pass."""

    async def aclose(self) -> None:
        """Let go of connections. A later call opens them again."""
