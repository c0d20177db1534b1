"""Prompts whose text may change while the process lives."""

from __future__ import annotations

from collections.abc import Callable

from corpus.synthesis.prompting import Instructions
from prompts.texts import PromptText


class LivePrompt(PromptText):
    """A prompt whose text is looked up at each use."""

    __slots__ = ("_now",)
    _now: Callable[[], PromptText]

    def __init__(self, name: str, now: Callable[[], PromptText]) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "_now", now)

    @property
    def text(self) -> str:
        """The text as the registry last sent it."""
        return self._now().text


class LiveInstructions(Instructions):
    """The instructions of a synthesis, looked up at each use."""

    __slots__ = ("_prompt",)
    _prompt: PromptText

    def __init__(self, prompt: PromptText) -> None:
        object.__setattr__(self, "_prompt", prompt)

    @property
    def text(self) -> str:
        """The text as the registry last sent it."""
        return self._prompt.text

    @property
    def version(self) -> str:
        """The version of that text; answers kept for another one are not reused."""
        return self._prompt.version
