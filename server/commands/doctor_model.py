"""Check the language model: it writes a few words."""

from __future__ import annotations

from urllib.parse import urlsplit

import anyio

from corpus.diagnostics import Finding
from corpus.errors import IbidError
from server.commands.finding import Clock, Say, failed
from server.settings import Settings

PATIENCE = 12.0
"""Seconds."""


ANTHROPIC = "api.anthropic.com"
ANTHROPIC_CURE = f"Set RAG_LLM_BASE_URL=https://{ANTHROPIC}/v1, where its models speak OpenAI's protocol."


async def model(settings: Settings, say: Say) -> None:
    """Says nothing where no model is named."""
    from corpus.generation.protocol import Prompt
    from server.wiring import text_generator

    if wrong := _wrong_address(settings):
        say(wrong)
        return
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


def _wrong_address(settings: Settings) -> Finding | None:
    """For Anthropic's models at an address that has none; nothing is sent there, least of all the key."""
    if settings.llm != "openai" or not (settings.llm_model or "").startswith("claude-"):
        return None
    address = urlsplit(settings.llm_base_url)
    if address.hostname == "api.openai.com":
        text = f"{settings.llm_model} is a model of Anthropic, and RAG_LLM_BASE_URL is the address of OpenAI."
        return Finding("failed", "model", text, ANTHROPIC_CURE)
    if address.hostname == ANTHROPIC and address.path.rstrip("/") != "/v1":
        return Finding("failed", "model", f"{ANTHROPIC} has no chat at this address.", ANTHROPIC_CURE)
    return None
