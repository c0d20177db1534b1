"""Pass 2 by one model: a checked answer, or why what it gave is none."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from corpus.generation.protocol import TextGenerator
from corpus.synthesis.answer import Synthesis
from corpus.synthesis.evidence import Evidence
from corpus.synthesis.model_answer import model_answer
from corpus.synthesis.pen import Pen
from corpus.synthesis.prompting import Draft
from corpus.synthesis.request import SynthesisRequest
from corpus.synthesis.unusable import Unusable
from corpus.synthesis.writing import written

log = structlog.stdlib.get_logger("ibid")


@dataclass(frozen=True, slots=True)
class Tried:
    """Without an answer, the warnings say why."""

    made: Synthesis | None
    warnings: tuple[str, ...] = ()


async def attempt(
    request: SynthesisRequest,
    known: Evidence,
    drafted: Callable[[], Awaitable[Draft]],
    writer: TextGenerator,
    pen: Pen,
    seconds: float,
) -> Tried:
    """Never raises an error; the model has that many seconds."""
    try:
        asked = await drafted()
        text = await written(asked.prompt, writer, seconds)
        if text.text is None:
            return Tried(None, text.warnings)
        return Tried(await model_answer(request, known, asked, text, pen))
    except Unusable as why:
        log.info("synthesis.text_not_used", writer=writer.id, why=str(why))
        return Tried(None, (f"{writer.id} wrote no answer: {why}",))
    except Exception:
        log.exception("synthesis.writing_failed", writer=writer.id)
        return Tried(None, (f"{writer.id} wrote an answer that could not be checked.",))
