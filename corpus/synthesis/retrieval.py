"""Retrieve the sources of an answer under the caller's rights, by search or by block ids."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePath
from typing import Protocol

from corpus.access import Caller
from corpus.citations import PAGE
from corpus.documents.block import passage_text
from corpus.errors import AskDifferently, DocumentNotFound
from corpus.filters import Filters
from corpus.search import ANSWERS, Hit, SearchResult, question
from corpus.synthesis.answer import Source
from corpus.synthesis.extractive.lexicon import LEANING
from corpus.synthesis.extractive.question import parse_question
from corpus.synthesis.query_entities import all_stand, query_names
from corpus.synthesis.request import Observation, SynthesisRequest, Turn
from corpus.synthesis.sources import number_sources
from corpus.text.analysis import function_words, language_of, plain_words, stem_words, terms
from corpus.text.markdown import unescape
from corpus.text.normalization import clean

MAX_SHORT = 6
"""Maximum number of words at which any question counts as a follow-up."""
MAX_BEFORE_LENGTH = 500
"""Maximum number of characters in an earlier question, which limits the search time."""
MAX_BEFORE = 3
"""Maximum number of earlier questions in a chain of follow-ups."""
MAX_FILES = 3
"""Maximum number of documents that the last answer may cite for them to be preferred. An answer that cites more is not
about any particular document."""

_REFERRING = re.compile(
    r"\b(?:it|its|they|them|their|this|that|these|those|he|she|his|her|both|the\s+(?:same|former|latter)"
    r"|(?<!gibt )es|sie|ihn|ihm|ihnen|ihr|ihre[rnms]?|deren|dessen|dies(?:e[rnms]?)?|beide[nr]?|davon|dabei|dafür|damit"
    r"|daran|darin|darüber|dazu)\b",
    re.IGNORECASE,
)
"""Pattern for pronouns and pronominal adverbs, anywhere in a question."""
_INSTEAD = re.compile(
    r"(?:(?:and|but|und|aber|also)\s+)?(?:(?:what|how)\s+about|was\s+ist\s+mit|wie\s+(?:ist|sieht)\s+es\s+(?:bei|mit)"
    r"|and|und|then|dann)\s++"
    r"(?:(?:for|with|of|in|at|für|bei|mit|von|in|im|beim|vom)\s++)?(?:(?:the|an?|der|die|das|den|dem|des|eine?[nmr]?)\s++)?"
    r"(?P<subject>[^?.!\n]{1,80}?)\s*[?.!]*",
    re.IGNORECASE,
)
"""Pattern for "And the X?", which asks the previous question about X."""
_DESIGNATION = r"(?:[-\s](?=[A-Z0-9])[\w./-]*\w)*"
_CODE = re.compile(r"(?<![\w./-])(?:(?!\d)[\w./-])*+\d[\w./-]*")
_NAME = re.compile(rf"(?<=[\w,;] )[A-ZÄÖÜ][\w./-]*\w{_DESIGNATION}")
_CITED = re.compile(r"\((?:Source|Quelle): (?P<called>(?:[^()\n]|\([^()\n]{0,200}\)){1,400})\)")


def previous_question(question: str, history: Sequence[Turn]) -> str:
    """Return the earlier questions that this one depends on, oldest first, one per line. The result is empty if it
    depends on none.

    A chain of follow-ups reaches back to the first question that depends on no other. "And the X?" gives the earlier
    question with X in place of its subject, so that the search ignores the former subject.
    """
    earlier: list[str] = []
    texts = (clean(turn.text).strip() for turn in reversed(history) if turn.role == "user")
    for text in filter(None, texts):
        if not leans(earlier[0] if earlier else question) or len(earlier) == MAX_BEFORE:
            break
        earlier.insert(0, text[:MAX_BEFORE_LENGTH])
    if not earlier:
        return ""
    base = earlier[0]
    for follow_up in earlier[1:]:
        base = with_subject_of(follow_up, base) or f"{base}\n{follow_up}"
    return with_subject_of(question, base) or base


def leans(question: str) -> bool:
    """Return whether a question is short or begins like a follow-up ("And", "It")."""
    return len(question.split()) <= MAX_SHORT or bool(LEANING.match(question))


def refers(question: str) -> bool:
    """Return whether a question has a pronoun as its subject or omits its subject. A short question alone does not
    count."""
    return bool(LEANING.match(question) or _REFERRING.search(question))


def with_subject_of(question: str, before: str) -> str | None:
    """Return `before` with its subject replaced by that of "And the X?". Return None for other questions, and if
    `before` has no clear counterpart of X."""
    match = _INSTEAD.fullmatch(question.strip())
    if match is None:
        return None
    subject = match["subject"]
    former = _alike(subject, before)
    return before[: former[0]] + subject + before[former[1] :] if former else None


def _alike(subject: str, text: str) -> tuple[int, int] | None:
    """Return the span in the text of the counterpart of the subject: a name with the same first word, a code of the
    same form, or the only name."""
    head = re.escape(subject.split(maxsplit=1)[0])
    same_head = list(re.finditer(rf"\b{head}{_DESIGNATION}", text))
    if len(same_head) == 1 and same_head[0][0] != subject:
        return same_head[0].span()
    if _CODE.fullmatch(subject):
        codes = [match for match in _CODE.finditer(text) if _shape(match[0]) == _shape(subject)]
        return codes[0].span() if len(codes) == 1 else None
    names = list(_NAME.finditer(text))
    return names[0].span() if len(names) == 1 and subject[0].isupper() else None


def _shape(code: str) -> str:
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", lambda digits: "0" * min(len(digits[0]), 4), code))


def file_names(history: Sequence[Turn]) -> tuple[tuple[str, ...], ...]:
    """Return the file names cited in the last answer that has citations. Each item is one interpretation of all these
    names, and the most likely interpretation comes first. Return no items if the answer cites more than MAX_FILES
    files."""
    for turn in reversed(history):
        if turn.role != "assistant":
            continue
        cited = dict.fromkeys(_names(unescape(match["called"])) for match in _CITED.finditer(clean(turn.text)))
        if cited:
            most = max(map(len, cited)) if len(cited) <= MAX_FILES else 0
            return tuple(tuple(names[min(way, len(names) - 1)] for names in cited) for way in range(most))
    return ()


def _names(called: str) -> tuple[str, ...]:
    """Return the file names that a citation may mean, the most likely first. `2024/bill.pdf, S. 4` means
    `2024/bill.pdf` or `bill.pdf`, and a name may contain a comma."""
    name = called.rpartition(", ")[0] or called
    first = called.partition(", ")[0]  # a heading may be between the name and the line numbers
    whole = called if re.fullmatch(r"\.\w{1,5}", PurePath(called).suffix) else name
    return tuple(dict.fromkeys((whole, name, first, PurePath(name).name)))


MAX_OBSERVATION_CHARS = 12_000
"""Maximum number of characters in one observation, about 3,000 tokens; the rest is cut."""


class Shelf(Protocol):
    """The part of the library that a synthesis reads, always under the rights of one caller."""

    async def search(
        self, query: str, caller: Caller, *, top_k: int = 10, filters: Filters | None = None
    ) -> SearchResult:
        """Return the best `top_k` hits for a query."""
        ...

    async def blocks(self, block_ids: Sequence[str], caller: Caller) -> tuple[Hit, ...]:
        """Return the blocks that the caller may read, as hits in this order."""
        ...

    async def illustrated(self, hits: Sequence[Hit], caller: Caller, *, whole_table: bool = False) -> tuple[Hit, ...]:
        """Return the hits with continuations and figures (`hit_expansion`), and with the rest of a table if
        `whole_table` is set."""
        ...

    async def hit_warnings(self, hits: Sequence[Hit]) -> tuple[str, ...]:
        """Return warnings about the documents of the hits."""
        ...


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The numbered sources for a question.

    `before` is the earlier question that a follow-up depends on; it is empty for other questions. `relevance` (0..1)
    and `unknown` (the words that no document contains) come from the search. `is_across` is True if the client listed
    several documents, each of which should contribute.
    """

    question: str
    sources: tuple[Source, ...]
    warnings: tuple[str, ...] = ()
    before: str = ""
    relevance: float | None = None
    unknown: tuple[str, ...] = ()
    is_across: bool = False

    @property
    def in_context(self) -> str:
        """Return the question below the earlier one that it depends on."""
        return f"{self.before}\n{self.question}" if self.before else self.question

    @property
    def hits(self) -> tuple[Hit, ...]:
        """Return the hits among the sources, without observations."""
        return tuple(source.hit for source in self.sources if source.hit)

    @property
    def language(self) -> str | None:
        """Return the language code of the first source that has one."""
        return next((source.language for source in self.sources if source.language), None)


async def gather(request: SynthesisRequest, shelf: Shelf, caller: Caller, *, page: str = PAGE) -> Retrieval:
    """Gather the sources for a request. `page` is the abbreviation for "page" in citations.

    Raise InvalidRequest for an empty question or an invalid filter, and DocumentNotFound if the caller may read none of
    the block ids.
    """
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
        warnings = tuple(warning for warning in result.warnings if warning not in result.of_hits)
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
        is_across=max(len(request.filters.doc_id), len(request.filters.filename)) > 1,
    )


async def _more_of_subject(
    question: str, hits: Sequence[Hit], request: SynthesisRequest, shelf: Shelf, caller: Caller
) -> Sequence[Hit]:
    """Return the hits. For an overview, add further passages of the best document and put that document first."""
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
    """Return whether the caller may still read every source, and every text is unchanged."""
    ids = [hit.block.block_id for hit in retrieval.hits]
    hits = await shelf.blocks(ids, caller) if ids else ()
    current = {hit.block.block_id: hit.block.content for hit in hits}
    return all(current.get(hit.block.block_id) == hit.block.content for hit in retrieval.hits)


async def _search(
    request: SynthesisRequest, query: str, before: str, shelf: Shelf, caller: Caller
) -> tuple[SearchResult, str]:
    """Return the search result for a question, and the earlier questions that the search used.

    A follow-up is searched in the documents that the last answer cited, and otherwise in all documents. A question that
    is merely short may not be a follow-up, so its own words are searched alone first: that search decides whether the
    cited documents fit, and it suffices if it finds an answer in all documents.
    """
    search = partial(shelf.search, caller=caller, top_k=request.top_k)
    if not before:
        return await search(query, filters=request.filters), ""
    in_context = f"{before}\n{query}"
    leaning = refers(query)
    if not (request.filters.doc_id or request.filters.filename):
        for names in file_names(request.history):
            within = replace(request.filters, filename=names)
            with suppress(AskDifferently):  # the caller may not read such a file
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
    """Return whether the hits may answer: they contain every name in the query and are not known to be irrelevant. If
    `itself` is True (the query was searched alone), one hit must also contain all content words of the query, because
    an index of few passages reports no relevance."""
    if not result.hits or (result.relevance is not None and result.relevance < ANSWERS):
        return False
    texts = [f"{hit.document.title}\n{hit.document.filename}\n{passage_text(hit.block)}" for hit in result.hits]
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
        raise DocumentNotFound("None of these block_ids is among the blocks you may read. Search again for them.")
    warnings = []
    if missing := len(distinct) - len(hits):
        warnings.append(f"{missing} of {len(distinct)} block_ids are not among the blocks you may read.")
    if request.filters:
        warnings.append("Filters were not applied: block_ids say what to answer from.")
    return hits, tuple(warnings)


def _bounded(observations: Sequence[Observation]) -> tuple[list[Observation], tuple[str, ...]]:
    """Return the non-empty observations, each cut to MAX_OBSERVATION_CHARS, and a warning about those that were cut."""
    cleaned = [replace(each, text=clean(each.text).strip()) for each in observations]
    cut = sum(len(each.text) > MAX_OBSERVATION_CHARS for each in cleaned)
    bounded = [replace(each, text=each.text[:MAX_OBSERVATION_CHARS]) for each in cleaned if each.text]
    return bounded, (f"{cut} of the observations are too long and were cut.",) if cut else ()
