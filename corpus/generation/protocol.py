"""The protocol of text generators, fences around data in prompts, and the parts of a chat response."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Protocol

from corpus.documents.block import Picture
from corpus.model_services.service import BadAnswer, NotTheProtocol
from corpus.text.normalization import clean


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt. `system` is the system prompt, `text` the user message. `pictures` are sent with it to models that
    accept images."""

    text: str
    system: str = ""
    pictures: tuple[Picture, ...] = ()
    max_tokens: int = 1000
    temperature: float = 0.2


@dataclass(frozen=True, slots=True)
class Generated:
    """Generated text. `cut` is True if the token limit ended the text. Token counts are None if the service reports
    none."""

    text: str
    cut: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class TextGenerator(Protocol):
    """A model that writes text."""

    @property
    def id(self) -> str:
        """Return the model's name, which is used in logs and to mark the model's text."""

    async def generate(self, prompt: Prompt) -> Generated:
        """Generate text. Raise NotConfigured for faults that an operator must fix, and LLMError or Timeout for
        temporary failures."""

    async def aclose(self) -> None:
        """Close the connections. A later call opens them again."""


def fence(data: str) -> str:
    """Return the data between two marker lines. The marker is a hash of the data, so that the data cannot contain
    it."""
    code = blake2b(data.encode("utf-8", "replace"), digest_size=12, key=b"ibid").hexdigest()
    return f"<<{code}>>\n{data}\n<<{code}>>"


MAX_WRITTEN = 400_000
"""Maximum length in characters of generated text, including reasoning. It is ten times the maximum length of a
displayed answer."""
_THOUGHT, _THOUGHT_ENDS = "<think>", "</think>"
"""Tags in which some services enclose the model's reasoning, before the text."""


class TooLong(BadAnswer):
    """The text is longer than MAX_WRITTEN."""


def parse_response(body: bytes) -> Generated:
    """Parse a response body. Raise NotTheProtocol if it is not a chat completion, and BadAnswer for a completion
    without text."""
    try:
        answer = json.loads(body)
        choice = answer["choices"][0]
        text, ended = choice["message"]["content"], choice.get("finish_reason")
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise NotTheProtocol("no text") from error
    text = presentable(text) if isinstance(text, str) else ""
    if not text:
        raise BadAnswer(_without_text(ended))
    return Generated(text, ended == "length", *_counts(answer))


def presentable(text: str) -> str:
    """Return the text without the model's reasoning and without invisible characters. The result is empty if nothing
    remains. Raise TooLong."""
    if len(text) > MAX_WRITTEN:
        raise TooLong(f"a text of more than {MAX_WRITTEN} characters")
    before, _, thought = clean(text).partition(_THOUGHT)
    return (before.rstrip() + thought.partition(_THOUGHT_ENDS)[2]).strip()


def _without_text(ended: object) -> str:
    if ended == "length":
        return "no text before its tokens were used up (models that think first need a greater max_tokens)"
    return "no text (it may have declined)"


def _counts(answer: dict[str, Any]) -> list[int | None]:
    """Return the token counts of the prompt and the text, with None for a missing or invalid count, which does not
    invalidate the text."""
    usage = answer.get("usage")
    counted = usage if isinstance(usage, dict) else {}
    counts = (counted.get(name) for name in ("prompt_tokens", "completion_tokens"))
    return [count if type(count) is int and count >= 0 else None for count in counts]
