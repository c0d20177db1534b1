"""Pass 2: the text of an answer by the first model that gives one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corpus.errors import IbidError, LLMError
from corpus.generation.promise import Generated, Prompt, TextGenerator


@dataclass(frozen=True, slots=True)
class Written:
    """A model's text, by which model, and what to tell of those that gave none before."""

    text: str | None
    model: str | None = None
    cut: bool = False
    warnings: tuple[str, ...] = ()


async def written(prompt: Prompt, writers: Sequence[TextGenerator]) -> Written:
    """Never raises an error of ours: without a text, the warnings say why each writer gave none."""
    told: list[str] = []
    for writer in writers:
        try:
            made = await _made(prompt, writer)
        except IbidError as problem:
            told.append(f"{writer.id} wrote no answer: {problem}")
            continue
        return Written(made.text, writer.id, made.cut, tuple(told))
    return Written(None, warnings=tuple(told))


async def _made(prompt: Prompt, writer: TextGenerator) -> Generated:
    made = await writer.generate(prompt)
    if not made.text.strip():
        raise LLMError("its answer was empty.")
    return made
