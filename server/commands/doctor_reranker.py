"""Check the reranker: it ranks two texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio.to_thread

from corpus.diagnostics import Finding
from corpus.errors import IbidError
from server.commands.finding import Clock, Say, failed, tried
from server.settings import Settings

if TYPE_CHECKING:
    from corpus.reranking.protocol import Reranker

PART = "reranker"
PATIENCE = 12.0
"""Seconds; the model of a folder is loaded within them."""
QUERY, TEXTS = "Is it ready?", ("Yes, it is ready.", "A pump moves liquids.")
NOT_TRIED = "runs here, and was not tried: its first use downloads it where it is not here yet"


async def reranker(settings: Settings, say: Say) -> None:
    """Says nothing where none is chosen. A search without it goes on in the order of the index."""
    from corpus.reranking import choose

    try:
        model = choose(settings.reranker_choice())
    except IbidError as error:
        say(failed(PART, error))
        return
    if model is None:
        return
    try:
        if settings.reranker == "fastembed" and settings.reranker_folder is None:
            say(await tried(PART, lambda: _look_up(model), seconds=PATIENCE))
        else:
            say(await tried(PART, lambda: _rank(model), seconds=PATIENCE))
    finally:
        await model.aclose()


async def _rank(model: Reranker) -> Finding:
    clock = Clock()
    await model.scores(QUERY, TEXTS)
    return Finding("ok", PART, f"{model.name} put two texts in order in {clock}")


async def _look_up(model: Reranker) -> Finding:
    """Whether fastembed knows the model; a check-up downloads nothing."""
    from corpus.reranking.cross_encoder import CrossEncoder

    if isinstance(model, CrossEncoder):
        await anyio.to_thread.run_sync(model.model_name)
    return Finding("note", PART, f"{model.name} {NOT_TRIED} (RAG_RERANKER_FOLDER names one that is)")
