"""Pass 1: what an answer is written from, retrieved or taken up again under the caller's rights."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from corpus.access import Caller
from corpus.citations import PAGE
from corpus.documents.block import passage_text
from corpus.errors import AskDifferently, DocumentNotFound
from corpus.filters import Filters
from corpus.queries import question
from corpus.search import ANSWERS, Hit, SearchResult
from corpus.synthesis.answer import Source
from corpus.synthesis.extractive.question import parse_question
from corpus.synthesis.follow_up import file_names, previous_question, refers
from corpus.synthesis.query_entities import all_stand, query_names
from corpus.synthesis.request import Observation, SynthesisRequest
from corpus.synthesis.sources import number_sources
from corpus.text.analysis import function_words, language_of, plain_words, stem_words, terms
from corpus.text.normalization import clean

MAX_OBSERVATION_CHARS = 12_000
"""Letters of one observation that are looked at."""


class Shelf(Protocol):
    """The part of the library that a synthesis reads. Every answer is for the caller alone."""

    async def search(
        self, query: str, caller: Caller, *, top_k: int = 10, filters: Filters | None = None
    ) -> SearchResult: ...

    async def blocks(self, block_ids: Sequence[str], caller: Caller) -> tuple[Hit, ...]: ...

    async def illustrated(
        self, hits: Sequence[Hit], caller: Caller, *, whole_table: bool = False
    ) -> tuple[Hit, ...]: ...

    async def hit_warnings(self, hits: Sequence[Hit]) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The question as it is asked, the sources for its answer, numbered, and what to tell of them; `before` is the
    question that it leans on, empty where it stands by itself; `relevance` and `unknown` are those of
    `Found`, `is_across` tells that several documents were named, each of which is to speak."""

    question: str
    sources: tuple[Source, ...]
    warnings: tuple[str, ...] = ()
    before: str = ""
    relevance: float | None = None
    unknown: tuple[str, ...] = ()
    is_across: bool = False

    @property
    def in_context(self) -> str:
        return f"{self.before}\n{self.question}" if self.before else self.question

    @property
    def hits(self) -> tuple[Hit, ...]:
        return tuple(source.hit for source in self.sources if source.hit)

    @property
    def language(self) -> str | None:
        """That of the best source which has one."""
        return next((source.language for source in self.sources if source.language), None)


async def gather(request: SynthesisRequest, shelf: Shelf, caller: Caller, *, page: str = PAGE) -> Retrieval:
    """Raises InvalidRequest for an empty question or a wrong filter, DocumentNotFound for block ids of which none may
    be read."""
    query = question(request.query)
    before = previous_question(query, request.history)
    relevance: float | None = None
    unknown: tuple[str, ...] = ()
    if request.block_ids:
        hits, warnings = await _read_blocks(request, shelf, caller)
    else:
        result, before = await _search(request, query, before, shelf, caller)
        in_context = f"{before}\n{query}" if before else query
        subject = await _more_of_subject(in_context, result.hits, request, shelf, caller)
        sums = parse_question(query, before).aggregate is not None
        hits = await shelf.illustrated(subject, caller, whole_table=sums)
        warnings = tuple(warning for warning in result.warnings if warning not in result.doubts)
        unknown = result.unknown
        relevance = result.relevance
    observations, cut = _bounded(request.observations)
    return Retrieval(
        query,
        number_sources(hits, observations, page),
        (*warnings, *cut),
        before,
        relevance,
        unknown,
        _is_across(request.filters),
    )


def _is_across(filters: Filters) -> bool:
    """Whether the client named several documents, each of which is to speak."""
    return max(len(filters.doc_id), len(filters.filename)) > 1


async def _more_of_subject(
    question: str, hits: Sequence[Hit], request: SynthesisRequest, shelf: Shelf, caller: Caller
) -> Sequence[Hit]:
    """For an overview the best document with more of its passages, else the hits as they are."""
    if not hits or parse_question(question).shape != "overview" or request.filters.doc_id:
        return hits
    best = hits[0].block.doc_id
    within = replace(request.filters, doc_id=(best,))
    more = await shelf.search(question, caller, top_k=request.top_k, filters=within)
    own = [hit for hit in hits if hit.block.doc_id == best]
    known = {hit.block.block_id for hit in own}
    own += [hit for hit in more.hits if hit.block.block_id not in known]
    return [*own, *(hit for hit in hits if hit.block.doc_id != best)]


async def is_unchanged(retrieval: Retrieval, shelf: Shelf, caller: Caller) -> bool:
    """Whether the caller may still read every source, and each says what it said."""
    ids = [hit.block.block_id for hit in retrieval.hits]
    current = (
        {hit.block.block_id: hit.block.content for hit in await shelf.blocks(ids, caller)} if ids else {}
    )
    return all(current.get(hit.block.block_id) == hit.block.content for hit in retrieval.hits)


async def _search(
    request: SynthesisRequest, query: str, before: str, shelf: Shelf, caller: Caller
) -> tuple[SearchResult, str]:
    """What is found for the question, and the earlier questions that it was understood from.

    A follow-up is looked for in the documents that the last answer cited, first. One that is merely short may have
    nothing to do with them: then its own words decide.
    """
    search = partial(shelf.search, caller=caller, top_k=request.top_k)
    if not before:
        return await search(query, filters=request.filters), ""
    in_context = f"{before}\n{query}"
    leaning = refers(query)
    if not (request.filters.doc_id or request.filters.filename):
        for names in file_names(request.history):
            within = replace(request.filters, filename=names)
            with suppress(AskDifferently):  # no such file among those that the caller may read
                probe = await search(in_context if leaning else query, filters=within)
                if not _is_about(probe, query, itself=not leaning):
                    break
                return (probe if leaning else await search(in_context, filters=within)), before
    if not leaning:
        alone = await search(query, filters=request.filters)
        if _is_about(alone, query, itself=True):
            return alone, ""
    return await search(in_context, filters=request.filters), before


def _is_about(result: SearchResult, query: str, *, itself: bool) -> bool:
    """Whether these hits may answer: they hold every name in the question and are not known to be irrelevant. A
    question that stands by `itself` must have its words there too: few passages have no known relevance."""
    if not result.hits or (result.relevance is not None and result.relevance < ANSWERS):
        return False
    texts = [
        f"{hit.document.title}\n{hit.document.filename}\n{passage_text(hit.block)}" for hit in result.hits
    ]
    words = plain_words(query)
    language = language_of(words)
    if itself:
        small = function_words(words)
        content = set(stem_words([word for word in words if word not in small], language))
        if not any(content <= set(terms(text, language)) for text in texts):
            return False
    return all_stand(query_names(query, language), "\n".join(texts))


async def _read_blocks(
    request: SynthesisRequest, shelf: Shelf, caller: Caller
) -> tuple[tuple[Hit, ...], tuple[str, ...]]:
    distinct = list(dict.fromkeys(request.block_ids))
    hits = await shelf.blocks(distinct, caller)
    if not hits:
        raise DocumentNotFound(
            "None of these block_ids is among the blocks you may read. Search again for them."
        )
    warnings = []
    if missing := len(distinct) - len(hits):
        warnings.append(f"{missing} of {len(distinct)} block_ids are not among the blocks you may read.")
    if request.filters:
        warnings.append("Filters were not applied: block_ids say what to answer from.")
    return hits, (*warnings, *await shelf.hit_warnings(hits))


def _bounded(observations: Sequence[Observation]) -> tuple[list[Observation], tuple[str, ...]]:
    """The observations that say something, within bounds."""
    cleaned = [replace(observation, text=clean(observation.text).strip()) for observation in observations]
    non_empty = [
        replace(observation, text=observation.text[:MAX_OBSERVATION_CHARS])
        for observation in cleaned
        if observation.text
    ]
    truncated = sum(len(observation.text) > MAX_OBSERVATION_CHARS for observation in cleaned)
    return non_empty, (f"{truncated} of the observations are too long and were cut.",) if truncated else ()
