"""Turn a question into a checked answer: retrieve, write, check, score. If one writer fails, the next takes over: the
client's model, the configured model, the extractive answer, and finally the retrieved blocks."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from hashlib import blake2b
from typing import Generic, TypeVar

import anyio
import anyio.to_thread
import structlog

from corpus.access import Caller
from corpus.citations import PageWords
from corpus.generation.protocol import TextGenerator
from corpus.processes.lru_cache import LRUCache
from corpus.processes.tracing import report_step
from corpus.synthesis.answer import NOT_IN_SOURCES, Source, Synthesis
from corpus.synthesis.evidence import Evidence, evidence
from corpus.synthesis.extractive_answer import compose_answer
from corpus.synthesis.model_answer import Attempt, attempt, timeout_warning
from corpus.synthesis.phrases import phrases
from corpus.synthesis.prompting import Draft, draft
from corpus.synthesis.query_similarity import QuerySimilarity
from corpus.synthesis.request import SynthesisRequest
from corpus.synthesis.retrieval import Retrieval, Shelf, gather, is_unchanged
from corpus.synthesis.writer import Pen

MAX_ENTRIES = 128
"""Maximum number of cached answers. Each uses some kilobytes with its sources."""

Value = TypeVar("Value")
Result = TypeVar("Result")


class TimedCache(Generic[Value]):
    """A cache of the `size` most recently used values. Each value expires `seconds` after it was stored. With 0 seconds
    the cache stores nothing."""

    def __init__(self, seconds: float, *, size: int = MAX_ENTRIES, now: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._now = seconds, now
        self._entries: LRUCache[tuple[float, Value]] = LRUCache(size)

    def get(self, key: str) -> Value | None:
        """Return the value, or None if it is absent or expired."""
        entry = self._entries.get(key)
        return entry[1] if entry and self._now() - entry[0] < self._seconds else None

    def put(self, key: str, value: Value) -> None:
        """Store a value, which expires in `seconds`."""
        if self._seconds > 0:
            self._entries.put(key, (self._now(), value))


def request_key(request: SynthesisRequest, caller: Caller, *more: str) -> str:
    """Return a 32-digit hex digest of the request, the caller, and `more`, the other inputs of the answer."""
    identity = asdict(caller) | {"groups": sorted(caller.groups)}
    return _digest(json.dumps([asdict(request), identity, more], sort_keys=True, default=str))


def sources_digest(sources: Iterable[Source]) -> str:
    """Return a 32-digit hex digest of the citations, block ids and texts of the sources, in their order."""
    return _digest(
        json.dumps([(source.citation, source.hit and source.hit.block.block_id, source.text) for source in sources])
    )


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@dataclass(slots=True)
class _Flight(Generic[Result]):
    """A running execution that other requests wait for. `landed` is set without a result or a failure if the first
    request was cancelled."""

    landed: anyio.Event = field(default_factory=anyio.Event)
    results: list[Result] = field(default_factory=list)
    failure: Exception | None = None


class SingleFlight(Generic[Result]):
    """A shared execution for concurrent requests with the same key.

    The first request does the work and the others wait. If the first is cancelled, one of the others starts again. A
    failure is raised in every waiting request, but not in later ones.
    """

    def __init__(self) -> None:
        self._running: dict[str, _Flight[Result]] = {}

    async def run(self, key: str, work: Callable[[float], Awaitable[Result]], seconds: float) -> Result | None:
        """Return the result of `work`, which receives the remaining seconds. Return None if waiting takes longer than
        `seconds`. Raise the errors of `work`."""
        until = anyio.current_time() + seconds
        while flight := self._running.get(key):
            with anyio.CancelScope(deadline=until) as limit:
                await flight.landed.wait()
            if flight.failure:
                raise flight.failure
            if flight.results:
                return flight.results[0]
            if limit.cancelled_caught:
                return None
        flight = self._running[key] = _Flight()
        try:
            flight.results.append(await work(until - anyio.current_time()))
        except Exception as error:
            flight.failure = error
            raise
        finally:
            del self._running[key]
            flight.landed.set()
        return flight.results[0]


log = structlog.stdlib.get_logger("ibid")

NO_WRITER = (
    "No model is there to write, so this answer is composed of excerpts. Name one with RAG_LLM_MODEL, or use a client "
    "that offers sampling."
)
CHANGED = "The sources changed while the answer was written, so it is not given."
A_CALL = 900.0
"""Seconds to keep the sources of a draft while the client's model writes."""


class Synthesizer:
    """Answers questions from a `Shelf`, with the models and limits of a `Pen`."""

    def __init__(self, shelf: Shelf, pen: Pen, *, page_words: PageWords) -> None:
        self._shelf, self._pen, self._pages = shelf, pen, page_words
        self._drafted: TimedCache[str] = TimedCache(A_CALL)
        self._answers: TimedCache[Synthesis] = TimedCache(pen.keep)
        self._flights: SingleFlight[Attempt] = SingleFlight()
        self._nearness = QuerySimilarity(pen.embedder)

    async def drafted(self, request: SynthesisRequest, caller: Caller) -> Draft | None:
        """Return the prompt for the client's model. It is the same in every round of a call as long as the sources are
        the same.

        Return None if there are no sources, in mode `compose`, or if the configured model's answer is cached. Raise the
        same errors as `answer`.
        """
        if request.mode == "compose":
            return None
        await report_step("Looking for sources")
        evidence = await self._gather(request, caller)
        if not evidence.retrieval.sources or self._known(request, caller, evidence):
            return None
        self._drafted.put(request_key(request, caller), sources_digest(evidence.retrieval.sources))
        return await self._draft(request, evidence)

    async def answer(
        self, request: SynthesisRequest, caller: Caller, sampled: TextGenerator | None = None
    ) -> Synthesis:
        """Return the answer to a request, with the warnings about its sources. `sampled` returns the text that the
        client's model wrote for the draft.

        Raise InvalidRequest and DocumentNotFound as `gather` does, and the errors of the index.
        """
        made = await self._answer(request, caller, sampled)
        cited = made.raw_chunks or tuple(source.hit for source in made.sources if source.hit and made.answered)
        return replace(made, warnings=(*made.warnings, *await self._shelf.hit_warnings(cited)))

    async def _answer(
        self, request: SynthesisRequest, caller: Caller, sampled: TextGenerator | None = None
    ) -> Synthesis:
        await report_step("Looking at the sources" if sampled else "Looking for sources")
        evidence = await self._gather(request, caller)
        retrieval = evidence.retrieval
        if sampled and self._drafted.get(request_key(request, caller)) != sources_digest(retrieval.sources):
            sampled = None
            evidence = replace(evidence, retrieval=replace(retrieval, warnings=(*retrieval.warnings, CHANGED)))
        if not retrieval.sources:
            return _without_sources(request, retrieval)
        if request.mode == "compose":
            return await self._composed(request, evidence, ())
        if sampled is None and (cached := self._known(request, caller, evidence)):
            return replace(cached, cached=True, warnings=(*cached.warnings, *retrieval.warnings))
        writers = [writer for writer in (sampled, self._pen.endpoint) if writer]
        if writers:
            return await self._written(request, caller, evidence, writers)
        return await self._composed(request, evidence, (NO_WRITER,) if request.mode == "llm" else ())

    def _known(self, request: SynthesisRequest, caller: Caller, evidence: Evidence) -> Synthesis | None:
        return self._answers.get(self._answer_key(request, caller, evidence))

    def _answer_key(self, request: SynthesisRequest, caller: Caller, evidence: Evidence) -> str:
        model = self._pen.endpoint.id if self._pen.endpoint else ""
        return request_key(
            request,
            caller,
            sources_digest(evidence.retrieval.sources),
            model,
            self._pen.instructions.version,
            self._pages.fixed,
        )

    async def _gather(self, request: SynthesisRequest, caller: Caller) -> Evidence:
        page = self._pages.for_question(request.query)
        return await evidence(await gather(request, self._shelf, caller, page=page), self._nearness)

    async def _draft(self, request: SynthesisRequest, evidence: Evidence) -> Draft:
        pen = self._pen
        made = partial(draft, request, evidence, pen.instructions, pen.count, pen.temperature, pen.context_tokens)
        return await anyio.to_thread.run_sync(made)

    async def _written(
        self, request: SynthesisRequest, caller: Caller, evidence: Evidence, writers: list[TextGenerator]
    ) -> Synthesis:
        """Return the answer of the first writer whose text is usable, or else the composed answer."""
        warnings: tuple[str, ...] = ()
        until = anyio.current_time() + self._pen.seconds
        for writer in writers:
            await report_step("Writing and checking")
            attempted = await self._tried(request, caller, evidence, writer, until - anyio.current_time())
            warnings += attempted.warnings
            if attempted.synthesis is None:
                continue
            if not await is_unchanged(evidence.retrieval, self._shelf, caller):
                return await self._composed(request, await self._gather(request, caller), (*warnings, CHANGED))
            return replace(
                attempted.synthesis,
                warnings=(*attempted.synthesis.warnings, *evidence.retrieval.warnings, *warnings),
            )
        return await self._composed(request, evidence, warnings)

    async def _tried(
        self,
        request: SynthesisRequest,
        caller: Caller,
        evidence: Evidence,
        writer: TextGenerator,
        seconds: float,
    ) -> Attempt:
        """Return one writer's attempt. Equal concurrent requests share one execution of the configured model; each has
        retrieved the same sources under its own caller's rights. The text of a client's model is used only in its own
        call."""
        work = partial(attempt, request, evidence, partial(self._draft, request, evidence), writer, self._pen)
        if writer is not self._pen.endpoint:
            return await work(seconds)
        key = self._answer_key(request, caller, evidence)
        attempted = await self._flights.run(key, work, seconds)
        if attempted and attempted.synthesis:
            self._answers.put(key, attempted.synthesis)
        return attempted or Attempt(None, (timeout_warning(seconds),))

    async def _composed(self, request: SynthesisRequest, evidence: Evidence, warnings: tuple[str, ...]) -> Synthesis:
        """Return the composed answer. If composing fails, return the retrieved blocks."""
        await report_step("Composing of excerpts")
        try:
            made = await compose_answer(request, evidence)
        except Exception:
            log.exception("synthesis.compose_failed")
            return Synthesis(
                "",
                "none",
                raw_chunks=evidence.retrieval.hits,
                warnings=(*evidence.retrieval.warnings, *warnings, "No answer could be put together."),
            )
        return replace(made, warnings=(*made.warnings, *warnings))


def _without_sources(request: SynthesisRequest, retrieval: Retrieval) -> Synthesis:
    """Return the reply for a request whose retrieval found nothing."""
    if request.mode == "llm":
        return Synthesis(NOT_IN_SOURCES, "llm", warnings=retrieval.warnings, answered=False)
    nothing = phrases(retrieval.question).nothing_found
    return Synthesis(nothing, "compose", warnings=retrieval.warnings, answered=False)
