"""Pass 2: the text of an answer, or why a model gave none."""

from __future__ import annotations

from dataclasses import dataclass

import anyio
import structlog

from corpus.errors import IbidError, LLMError
from corpus.generation.protocol import Generated, Prompt, TextGenerator
from corpus.synthesis.inert import LONGEST

log = structlog.stdlib.get_logger("ibid")


@dataclass(frozen=True, slots=True)
class Written:
    """A model's text and which model it is of, or None and what to tell of one that gave none."""

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
        return _bounded(made, writer.id)
    return Written(None, warnings=(too_slow(seconds),))


def too_slow(seconds: float) -> str:
    return f"No answer was written within {max(0.0, seconds):.0f} seconds."


def _bounded(made: Generated, model: str) -> Written:
    """What is looked at of a text: the rest of an endless one would take time for nobody to read."""
    if len(made.text) <= LONGEST:
        return Written(made.text, model, made.cut)
    told = f"The model's answer was longer than {LONGEST} characters, and its end was left out."
    return Written(made.text[:LONGEST], model, made.cut, (told,))


async def _made(prompt: Prompt, writer: TextGenerator) -> Generated:
    made = await writer.generate(prompt)
    if not made.text.strip():
        raise LLMError("its answer was empty.")
    return made
