"""Pass 2: the text of an answer, or why a model gave none."""

from __future__ import annotations

from dataclasses import dataclass

import anyio
import structlog

from corpus.errors import IbidError, LLMError
from corpus.generation.promise import Generated, Prompt, TextGenerator

log = structlog.stdlib.get_logger("ibid")


@dataclass(frozen=True, slots=True)
class Written:
    """A model's text and which model it is of, or what to tell of one that gave none."""

    text: str | None
    model: str | None = None
    cut: bool = False
    warnings: tuple[str, ...] = ()


async def written(prompt: Prompt, writer: TextGenerator, seconds: float) -> Written:
    """Never raises an error of ours: without a text, the warning says why the writer gave none in that many seconds."""
    with anyio.move_on_after(seconds):
        try:
            made = await _made(prompt, writer)
        except IbidError as problem:
            return Written(None, warnings=(f"{writer.id} wrote no answer: {problem}",))
        except Exception:
            log.exception("synthesis.writer_failed", writer=writer.id)
            why = "it failed in a way that nobody expected."
            return Written(None, warnings=(f"{writer.id} wrote no answer: {why}",))
        return Written(made.text, writer.id, made.cut)
    return Written(None, warnings=(too_slow(seconds),))


def too_slow(seconds: float) -> str:
    return f"No answer was written within {max(0.0, seconds):.0f} seconds."


async def _made(prompt: Prompt, writer: TextGenerator) -> Generated:
    made = await writer.generate(prompt)
    if not made.text.strip():
        raise LLMError("its answer was empty.")
    return made
