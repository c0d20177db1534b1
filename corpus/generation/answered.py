"""What a chat service answered, read: the text, whether it was cut, and the tokens that it counted."""

from __future__ import annotations

import json
from typing import Any

from corpus.generation.protocol import Generated
from corpus.services.answers import BadAnswer, NotTheProtocol
from corpus.text import clean

MAX_WRITTEN = 400_000
"""Characters of one answer of a model, before anything looks at it: ten times what is shown, for what it thought."""
_THOUGHT, _THOUGHT_ENDS = "<think>", "</think>"
"""Some services leave in front of the text what a model thought before it wrote."""


class TooLong(BadAnswer):
    """Of a text beyond MAX_WRITTEN."""


def written(body: bytes) -> Generated:
    """Raises NotTheProtocol for what is no answer of a chat, BadAnswer for one without a text."""
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
    """What a model wrote, without what it thought before and what no reader would see; empty where nothing is left.
    Raises TooLong."""
    if len(text) > MAX_WRITTEN:
        raise TooLong(f"a text of more than {MAX_WRITTEN} characters")
    before, _, thought = clean(text).partition(_THOUGHT)
    return (before.rstrip() + thought.partition(_THOUGHT_ENDS)[2]).strip()


def _without_text(ended: object) -> str:
    if ended == "length":
        return "no text before its tokens were used up (models that think first need a greater max_tokens)"
    return "no text (it may have declined)"


def _counts(answer: dict[str, Any]) -> list[int | None]:
    """Of the prompt and of the text. A service that counts wrongly has still written its text."""
    usage = answer.get("usage")
    said = usage if isinstance(usage, dict) else {}
    counts = (said.get(name) for name in ("prompt_tokens", "completion_tokens"))
    return [one if type(one) is int and one >= 0 else None for one in counts]
