"""Build the prompt of llm_generate from the instruction and the data."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from corpus.errors import InvalidRequest
from corpus.generation.protocol import Prompt, fence
from corpus.text.normalization import clean
from tools import bounds

MOST_CONTEXT = 6000
"""Tokens of a context; what is beyond is left out, and said."""
MAX_READ = 4 * MOST_CONTEXT
"""Characters: a token is four of them at most."""
_WRITER = json.JSONEncoder(ensure_ascii=False, indent=1, default=str)
LONGEST_PROMPT = 20_000
"""Characters of a prompt."""


def prompt_of(
    system: str, prompt: str, context: dict[str, Any] | None, max_tokens: int, temperature: float
) -> Prompt:
    """The same to the byte for the same arguments: a client may be asked in two rounds. Raises InvalidRequest."""
    question = clean(prompt).strip()
    if not question:
        raise InvalidRequest("The prompt is empty. Say what to write.")
    if len(question) > LONGEST_PROMPT:
        raise InvalidRequest(f"The prompt is longer than {LONGEST_PROMPT} characters. Put data into context.")
    data, _ = rendered(context)
    text = question + (f"\n\nContext:\n{fence(data)}" if data else "")
    return Prompt(text, system, max_tokens=max_tokens, temperature=temperature)


def rendered(context: dict[str, Any] | None) -> tuple[str, bool]:
    """The context as a model reads it, and whether its end is missing."""
    whole, cut = _readable(context) if context else ("", False)
    text = bounds.shortened(whole, MOST_CONTEXT)
    return text, cut or text != whole


def call_facts(arguments: dict[str, Any]) -> dict[str, int]:
    """Of a call, for the log: lengths in characters, of a context as far as it is read, and no text."""
    prompt, context = arguments.get("prompt"), arguments.get("context")
    facts = {"prompt_length": len(prompt) if isinstance(prompt, str) else 0, "context_size": 0}
    with suppress(InvalidRequest):  # the call meets the same refusal and tells it
        if context:
            facts["context_size"] = len(context if isinstance(context, str) else _readable(context)[0])
    return facts


def _readable(context: object) -> tuple[str, bool]:
    """The context as text, no further than a model could be shown, and whether it goes on. Raises InvalidRequest where
    it is nested beyond what can be written."""
    parts, room = list[str](), MAX_READ
    try:
        for part in _WRITER.iterencode(context):
            parts.append(part[:room])
            room -= len(part)
            if room < 0:
                break
        return clean("".join(parts)), room < 0
    except (RecursionError, ValueError) as error:
        raise InvalidRequest("Argument 'context' is nested too deeply. Pass flatter data.") from error
