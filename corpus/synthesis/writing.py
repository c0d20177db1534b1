"""Pass 2: the text of an answer by the first model that gives one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import anyio
import structlog

from corpus.errors import IbidError, LLMError
from corpus.generation.promise import Generated, Prompt, TextGenerator

log = structlog.stdlib.get_logger("ibid")


@dataclass(frozen=True, slots=True)
class Written:
    """A model's text, by which model, and what to tell of those that gave none before."""

    text: str | None
    model: str | None = None
    cut: bool = False
    warnings: tuple[str, ...] = ()


async def written(prompt: Prompt, writers: Sequence[TextGenerator], seconds: float) -> Written:
    """Never raises an error of ours: without a text, the warnings say why each writer gave none. All of them together
    have that many seconds."""
    told: list[str] = []
    with anyio.move_on_after(seconds) as limit:
        for writer in writers:
            try:
                made = await _made(prompt, writer)
            except IbidError as problem:
                told.append(f"{writer.id} wrote no answer: {problem}")
                continue
            except Exception:
                log.exception("synthesis.writer_failed", writer=writer.id)
                told.append(f"{writer.id} wrote no answer: it failed in a way that nobody expected.")
                continue
            return Written(made.text, writer.id, made.cut, tuple(told))
    if limit.cancelled_caught:
        told.append(f"No answer was written within {seconds:.0f} seconds.")
    return Written(None, warnings=tuple(told))


async def _made(prompt: Prompt, writer: TextGenerator) -> Generated:
    made = await writer.generate(prompt)
    if not made.text.strip():
        raise LLMError("its answer was empty.")
    return made
