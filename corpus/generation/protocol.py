"""The protocol of text generators, and fences around data in prompts."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Protocol

from corpus.documents.block import Picture


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt. `system` is the system prompt, `text` the user message; `pictures` go with it to models that accept
    images."""

    text: str
    system: str = ""
    pictures: tuple[Picture, ...] = ()
    max_tokens: int = 1000
    temperature: float = 0.2


@dataclass(frozen=True, slots=True)
class Generated:
    """Generated text. `cut` is true if the token limit ended the text. Counts are None if the service reports none."""

    text: str
    cut: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class TextGenerator(Protocol):
    """A model that writes text."""

    @property
    def id(self) -> str:
        """The model's name, for logs and for marking its text."""

    async def generate(self, prompt: Prompt) -> Generated:
        """Generate text. Raises NotConfigured for what an operator must fix, LLMError and Timeout for temporary
        failures."""

    async def aclose(self) -> None:
        """Close connections. A later call opens them again."""


def fence(data: str) -> str:
    """Return the data between two marker lines. The marker is a hash of the data, so the data cannot contain it."""
    code = blake2b(data.encode("utf-8", "replace"), digest_size=12, key=b"ibid").hexdigest()
    return f"<<{code}>>\n{data}\n<<{code}>>"
