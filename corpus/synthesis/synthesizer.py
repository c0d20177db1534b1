"""From a question to a checked answer: gather, write, check, say how far to trust it. One straight line, with a way out
at each step that loses nothing."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import anyio
import anyio.to_thread
import structlog

from corpus.access import Caller
from corpus.generation.protocol import TextGenerator
from corpus.page_label import PageWords
from corpus.processes.progress import report_step
from corpus.synthesis.answer import NOT_IN_SOURCES, Synthesis
from corpus.synthesis.answer_cache import Flights, Remembered, digest_of, key_of
from corpus.synthesis.evidence import Evidence, evidence
from corpus.synthesis.extractive_answer import compose_answer
from corpus.synthesis.model_answer import Tried, attempt, too_slow
from corpus.synthesis.phrases import phrases
from corpus.synthesis.prompting import Draft, draft
from corpus.synthesis.query_similarity import Nearness
from corpus.synthesis.request import SynthesisRequest
from corpus.synthesis.retrieval import Gathered, Shelf, gather, is_unchanged
from corpus.synthesis.writer import Pen

log = structlog.stdlib.get_logger("ibid")

NO_WRITER = (
    "No model is there to write, so this answer is composed of excerpts. Name one with RAG_LLM_MODEL, or use a client "
    "that offers sampling."
)
CHANGED = "The sources changed while the answer was written, so it is not given."
A_CALL = 900.0
"""Seconds that a draft is known for, while the client's model writes."""


class Synthesizer:
    def __init__(self, shelf: Shelf, pen: Pen, *, page_words: PageWords) -> None:
        self._shelf, self._pen, self._pages = shelf, pen, page_words
        self._drafted: Remembered[str] = Remembered(A_CALL)
        self._answers: Remembered[Synthesis] = Remembered(pen.keep)
        self._flights: Flights[Tried] = Flights()
        self._nearness = Nearness(pen.embedder)

    async def drafted(self, request: SynthesisRequest, caller: Caller) -> Draft | None:
        """What the client's model is asked, the same in every round of a call as long as its sources are; None where
        nothing was found, no model is to write, or the configured one has written this answer before."""
        if request.mode == "compose":
            return None
        await report_step("Looking for sources")
        known = await self._gather(request, caller)
        if not known.found.sources or self._known(request, caller, known):
            return None
        self._drafted.put(key_of(request, caller), digest_of(known.found.sources))
        return await self._draft(request, known)

    async def answer(
        self, request: SynthesisRequest, caller: Caller, sampled: TextGenerator | None = None
    ) -> Synthesis:
        """`sampled` hands over what the client's model wrote to the draft. Raises InvalidRequest and DocumentNotFound
        as pass 1 does, and whatever the index raises."""
        await report_step("Looking at the sources" if sampled else "Looking for sources")
        known = await self._gather(request, caller)
        found = known.found
        if sampled and self._drafted.get(key_of(request, caller)) != digest_of(found.sources):
            sampled = None
            known = replace(known, found=replace(found, warnings=(*found.warnings, CHANGED)))
        if not found.sources:
            return _without_sources(request, found)
        if request.mode == "compose":
            return await self._composed(request, known, ())
        if sampled is None and (kept := self._known(request, caller, known)):
            return replace(kept, cached=True, warnings=(*kept.warnings, *found.warnings))
        writers = [one for one in (sampled, self._pen.endpoint) if one]
        if writers:
            return await self._written(request, caller, known, writers)
        return await self._composed(request, known, (NO_WRITER,) if request.mode == "llm" else ())

    def _known(self, request: SynthesisRequest, caller: Caller, known: Evidence) -> Synthesis | None:
        return self._answers.get(self._answer_key(request, caller, known))

    def _answer_key(self, request: SynthesisRequest, caller: Caller, known: Evidence) -> str:
        model = self._pen.endpoint.id if self._pen.endpoint else ""
        return key_of(
            request,
            caller,
            digest_of(known.found.sources),
            model,
            self._pen.instructions.version,
            self._pages.fixed,
        )

    async def _gather(self, request: SynthesisRequest, caller: Caller) -> Evidence:
        page = self._pages.for_question(request.query)
        return await evidence(await gather(request, self._shelf, caller, page=page), self._nearness)

    async def _draft(self, request: SynthesisRequest, known: Evidence) -> Draft:
        pen = self._pen
        made = partial(
            draft, request, known, pen.instructions, pen.count, pen.temperature, pen.context_tokens
        )
        return await anyio.to_thread.run_sync(made)

    async def _written(
        self, request: SynthesisRequest, caller: Caller, known: Evidence, writers: list[TextGenerator]
    ) -> Synthesis:
        """By the first writer whose text is an answer. Whatever goes wrong, what was retrieved is not lost."""
        told: tuple[str, ...] = ()
        until = anyio.current_time() + self._pen.seconds
        for writer in writers:
            await report_step("Writing and checking")
            tried = await self._tried(request, caller, known, writer, until - anyio.current_time())
            told += tried.warnings
            if tried.made is None:
                continue
            if not await is_unchanged(known.found, self._shelf, caller):
                return await self._composed(request, await self._gather(request, caller), (*told, CHANGED))
            return replace(tried.made, warnings=(*tried.made.warnings, *known.found.warnings, *told))
        return await self._composed(request, known, told)

    async def _tried(
        self,
        request: SynthesisRequest,
        caller: Caller,
        known: Evidence,
        writer: TextGenerator,
        seconds: float,
    ) -> Tried:
        """What the client's model wrote is for this call alone. The configured one writes once for all who ask the
        same at once, each of whom found the same sources with rights of their own."""
        work = partial(attempt, request, known, partial(self._draft, request, known), writer, self._pen)
        if writer is not self._pen.endpoint:
            return await work(seconds)
        key = self._answer_key(request, caller, known)
        tried = await self._flights.shared(key, work, seconds)
        if tried and tried.made:
            self._answers.put(key, tried.made)
        return tried or Tried(None, (too_slow(seconds),))

    async def _composed(self, request: SynthesisRequest, known: Evidence, told: tuple[str, ...]) -> Synthesis:
        """Composed of excerpts; where even that fails, what was retrieved as it is."""
        await report_step("Composing of excerpts")
        try:
            made = await compose_answer(request, known)
        except Exception:
            log.exception("synthesis.compose_failed")
            return Synthesis(
                "",
                "none",
                raw_chunks=known.found.hits,
                warnings=(*known.found.warnings, *told, "No answer could be put together."),
            )
        return replace(made, warnings=(*made.warnings, *told))


def _without_sources(request: SynthesisRequest, found: Gathered) -> Synthesis:
    """What each way of writing says where nothing was found."""
    if request.mode == "llm":
        return Synthesis(NOT_IN_SOURCES, "llm", warnings=found.warnings, answered=False)
    nothing = phrases(found.question).nothing_found
    return Synthesis(nothing, "compose", warnings=found.warnings, answered=False)
