"""The check of the model that writes: a few words from it."""

from __future__ import annotations

import anyio

from corpus.errors import IbidError
from corpus.findings import Finding
from server.commands.finding import Clock, Say, failed
from server.settings import Settings

PATIENCE = 12.0
"""Seconds."""


async def model(settings: Settings, say: Say) -> None:
    """Says nothing where no model is named."""
    from corpus.generation.protocol import Prompt
    from server.wiring import text_generator

    try:
        writer = text_generator(settings)
        if writer is None:
            return
        try:
            with anyio.fail_after(PATIENCE):
                clock = Clock()
                # Enough for one that thinks first.
                await writer.generate(Prompt("Answer with the one word: ready", max_tokens=300))
                say(Finding("ok", "model", f"{writer.id} wrote in {clock}"))
        finally:
            await writer.aclose()
    except TimeoutError:
        text = f"{settings.llm_model} wrote nothing within {PATIENCE:.0f} seconds."
        say(Finding("warning", "model", text, "One that is loaded first takes longer: try again."))
    except IbidError as error:
        say(failed("model", error))
