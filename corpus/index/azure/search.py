"""Search a service: send the query, and convert the rows to hits with their documents.

The metadata of a hit's document comes from the block's own row if possible, otherwise from the documents index. Every
search looks the document up again with the caller's current rights, because access may have been revoked since an
earlier search.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from corpus.documents.document import Document, nameless
from corpus.index.azure import query
from corpus.index.azure.filter_conditions import block_conditions, id_condition
from corpus.index.azure.knowledge_base import KnowledgeBase
from corpus.index.azure.query import (
    CUT,
    Extra,
    Name,
    Plan,
    Refusals,
    by_vectors,
    plain_words,
    plan,
    queries,
    without_vectors,
)
from corpus.index.azure.rows import SCORE, Row, SearchParts, cosine, document_of, names_its_document, scores
from corpus.index.azure.schema.fields import ACCESS, BLOCK_DOCUMENT_FIELDS, DOCUMENT_KEY, SEARCHED_OF_BLOCKS
from corpus.index.azure.service.connection import Answer
from corpus.index.azure.view import View
from corpus.search import Hit, Search, SearchResult, bound_query
from corpus.text.normalization import clean

if TYPE_CHECKING:
    from corpus.embedding.protocol import Embedder


_SHOWN = (DOCUMENT_KEY, *BLOCK_DOCUMENT_FIELDS, ACCESS)
"""Document fields that can be repeated in blocks. Summaries are omitted, because they are longer than all of these."""


async def documents_of(view: View, rows: Sequence[Row]) -> dict[str, Document]:
    """Return the documents of these rows, keyed by id. A document that may not be read contains only its id."""
    telling = {row["doc_id"]: row for row in rows if names_its_document(row)}
    by_id = {doc_id: document_of(row) for doc_id, row in telling.items()}
    missing = list(dict.fromkeys(row["doc_id"] for row in rows if row["doc_id"] not in by_id))
    if missing:
        answer = await view.documents([id_condition(DOCUMENT_KEY, missing)], top=len(missing), fields=_SHOWN)
        by_id |= {row["doc_id"]: document_of(row) for row in answer.rows}
    return {doc_id: nameless(doc_id) for doc_id in missing} | by_id


MAX_QUERY_CHARACTERS = 2_000

NO_IDENTITY = "No identity is set, so only public documents are readable, and none of them fits."


@dataclass(frozen=True, slots=True)
class Wishes:
    """Settings for searching the content index; None leaves the choice to the index."""

    vector_fields: tuple[str, ...] | None = None
    semantic: str | None = None
    embedder: str | None = None
    knowledge_base: str | None = None


@dataclass(frozen=True, slots=True)
class _Request:
    """One request. `configuration` is the semantic configuration, and `plan` is the plan for vector search."""

    words: str
    configuration: str | None
    plan: Plan
    vectors: Sequence[Any]

    def extras(self, text: str) -> dict[Name, Extra]:
        """Return the optional parts of the request. Vectors are optional only if the query has words."""
        ranking = query.semantic(self.configuration, text) if self.configuration else None
        vectors = by_vectors(self.plan, self.vectors) if self.words and self.vectors else None
        extras: dict[Name, Extra | None] = {"semantic": ranking, "vectors": vectors}
        return {name: extra for name, extra in extras.items() if extra}

    def outcome(self, answer: Answer, without: Iterable[Name]) -> tuple[SearchParts, tuple[str, ...]]:
        """Return the parts that ran, and warnings."""
        warnings = [without_vectors(self.plan)] if "vectors" in without else []
        ranked = bool(self.configuration) and "semantic" not in without and query.ranked(answer)
        if self.configuration and not ranked:
            warnings += [query.without_ranking(self.configuration) if "semantic" in without else query.GIVEN_UP]
        elif ranked and answer.partial:
            warnings += [query.PARTIAL]
        fields = len(self.plan.fields) if self.vectors and "vectors" not in without else 0
        return SearchParts(bool(self.words), fields, ranked), tuple(warnings)


class Searcher:
    """Searches one service."""

    def __init__(self, wishes: Wishes, embedder: Embedder | None) -> None:
        self._wishes = wishes
        self._embedder = embedder
        self._refusals = Refusals()
        self._knowledge_base = KnowledgeBase(wishes.knowledge_base) if wishes.knowledge_base else None

    async def find(self, view: View, search: Search) -> SearchResult:
        """Return the best readable blocks. Raises InvalidRequest, AzureSearchError and Timeout."""
        text, cut = bound_query(search.query, MAX_QUERY_CHARACTERS)
        if not text or search.top_k < 1:
            return SearchResult((), "none", (*cut, *_reason(view, empty=True)))
        where, narrowed = await block_conditions(view, search.filters)
        if self._knowledge_base:
            by_knowledge = await self._knowledge_base.find(view, text, where, search.top_k)
            if by_knowledge.rows is not None:
                ran = SearchParts(text=True, vectors=0, semantic=True)
                hits = await _hits(view, by_knowledge.rows, ran)
                notes = (
                    *cut,
                    *narrowed,
                    *by_knowledge.notes,
                    *view.rights_warnings,
                    *_reason(view, empty=not hits),
                )
                return SearchResult(hits, ran.mode, notes)
            narrowed += by_knowledge.notes
        searched = view.shapes.content.searched(SEARCHED_OF_BLOCKS)
        words, many = plain_words(text) if searched != [] else ("", False)
        cut += (CUT,) if many else ()
        chosen, vectors, by_words = await self._vectors(view, text, search.top_k)
        if not words and not vectors:
            return SearchResult((), "none", (*cut, *narrowed, *by_words))
        request = _Request(words, self._configuration(view) if words else None, chosen, vectors)
        wishes: dict[str, Any] = {"text": words, "search_fields": searched} if words else {}
        wishes |= by_vectors(chosen, vectors).wishes if not words else {}
        ask = partial(view.blocks, where, top=search.top_k, **wishes)
        answer, without = await self._refusals.answer(ask, request.extras(text))
        ran, given_up = request.outcome(answer, without)
        hits = await _hits(view, answer.rows, ran)
        warnings = (
            *cut,
            *narrowed,
            *by_words,
            *given_up,
            *view.rights_warnings,
            *_reason(view, empty=not hits),
        )
        return SearchResult(hits, ran.mode, warnings)

    async def _vectors(self, view: View, text: str, top_k: int) -> tuple[Plan, Sequence[Any], tuple[str, ...]]:
        """Return the plan for vector search, the vector queries, and warnings."""
        wishes = self._wishes
        chosen = plan(view.shapes.content, wishes.vector_fields, wishes.embedder, self._embedder)
        if chosen.fields and self._refusals.rests("vectors"):
            return chosen, (), (without_vectors(chosen),)
        return chosen, *await queries(chosen, text, top_k)

    def _configuration(self, view: View) -> str | None:
        if self._wishes.semantic == "none" or self._refusals.rests("semantic"):
            return None
        return self._wishes.semantic or next(iter(view.shapes.content.semantic), None)


async def _hits(view: View, rows: Sequence[Row], ran: SearchParts) -> tuple[Hit, ...]:
    documents = await documents_of(view, rows)
    return tuple(
        _hit(view, row, documents[row["doc_id"]], score, ran)
        for row, score in zip(rows, scores(rows, ran), strict=True)
    )


def _hit(view: View, row: Row, document: Document, score: float, ran: SearchParts) -> Hit:
    captions = row.get("@search.captions") or ()
    return Hit(
        view.block(row),
        document,
        score,
        ran.kind,
        lexical=float(row.get(SCORE) or 0.0) if ran.mode == "lexical" else None,
        vector=cosine(row) if ran.kind == "vector" else None,
        highlight=next((clean(one.text) for one in captions if one.text), None),
    )


def _reason(view: View, *, empty: bool) -> tuple[str, ...]:
    return (NO_IDENTITY,) if empty and view.caller.anonymous else ()
