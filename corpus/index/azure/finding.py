"""One search: what is asked of the service, what it gave up on the way, and its rows as hits."""

from __future__ import annotations

import itertools
import re
import time
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from corpus.documents import Document
from corpus.errors import AzureSearchError
from corpus.index.azure.conditions import on_blocks
from corpus.index.azure.connection import Answer
from corpus.index.azure.failures import status_of
from corpus.index.azure.fields import SEARCHED_OF_BLOCKS
from corpus.index.azure.joining import DocumentsOfHits
from corpus.index.azure.query_vectors import plan, queries
from corpus.index.azure.rows import Row, block_of
from corpus.index.azure.scores import RERANKED, SCORE, Ran, cosine, scores
from corpus.index.azure.view import View
from corpus.queries import bounded
from corpus.search import Found, Hit, Search
from corpus.text import clean

if TYPE_CHECKING:
    from corpus.embedding.promise import Embedder

LONGEST_QUERY = 2_000
MOST_WORDS = 256
"""The service refuses more than 3,000 words times fields; of scripts without spaces, each letter is a word to it."""

SEMANTIC_WAIT = 2_000
"""Milliseconds that the semantic ranking may take before the answer comes without it."""
SEMANTIC_REST = 300.0
"""Seconds without semantic ranking after the service refused it as such."""

NO_IDENTITY = "No identity is set, so only public documents are readable, and none of them fits."
GUESSED = (
    "Access lists are taken to hold plain names, since this credential may not read how the index was made. "
    "If Ibid made it, set RAG_PRINCIPAL_PREFIXES=true; without it, documents that are not public stay hidden."
)

# What the simple query syntax gives a meaning; a dash has one only before a word.
_WORD = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]|[^\W_]+")
_OPERATORS = re.compile(r"[+|\"()'\\*~&!]|(?<!\S)-+")


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the settings say of the content index; None where they leave it to the index."""

    vector_fields: tuple[str, ...] | None = None
    semantic: str | None = None
    embedder: str | None = None


class Finder:
    """Searches of one service."""

    def __init__(self, wishes: Wishes, embedder: Embedder | None) -> None:
        self._wishes = wishes
        self._embedder = embedder
        self._documents = DocumentsOfHits()
        self._semantic_again = 0.0

    async def find(self, view: View, search: Search) -> Found:
        text, cut = bounded(search.query, LONGEST_QUERY)
        if not text or search.top_k < 1:
            return Found((), "none", (*cut, *_reason(view, empty=True)))
        where, narrowed = await on_blocks(view, search.filters)
        chosen = plan(view.shapes.content, self._wishes.vector_fields, self._wishes.embedder, self._embedder)
        vectors, by_words = await queries(chosen, text, search.top_k)
        searched = view.shapes.content.searched(SEARCHED_OF_BLOCKS)
        words = plain_words(text) if searched != [] else ""
        cut += (_CUT,) if words and len(words) < len(_spaced(text)) else ()
        if not words and not vectors:
            return Found((), "none", (*cut, *narrowed, *by_words))
        ran = Ran(bool(words), len(chosen.fields) if vectors else 0)
        asked: dict[str, Any] = {"text": words or None, "top": search.top_k}
        asked |= {"search_fields": searched} if words else {}
        asked |= {"vector_queries": vectors, "vector_filter_mode": "preFilter"} if vectors else {}
        answer, ran, given_up = await self._answer(view, where, asked, ran, text)
        hits = await self._hits(view, answer.rows, ran)
        named = (GUESSED,) if view.guessed and not (view.caller.anonymous or view.caller.unfiltered) else ()
        warnings = (*cut, *narrowed, *by_words, *given_up, *named, *_reason(view, empty=not hits))
        return Found(hits, ran.mode, warnings)

    async def _answer(
        self, view: View, where: Sequence[str], asked: dict[str, Any], ran: Ran, text: str
    ) -> tuple[Answer, Ran, tuple[str, ...]]:
        """With semantic ranking where there is a configuration; without it where the service would not."""
        configuration = self._configuration(view) if ran.text else None
        if configuration is None:
            return await view.blocks(where, **asked), ran, ()
        try:
            answer = await view.blocks(where, **asked, **_semantic(configuration, text))
        except AzureSearchError as error:
            if status_of(error) not in (400, 402):
                raise
            answer = await view.blocks(where, **asked)
            self._semantic_again = time.monotonic() + SEMANTIC_REST
            return answer, ran, (_REFUSED.format(name=configuration),)
        if answer.rows and all(row.get(RERANKED) is None for row in answer.rows):
            return answer, ran, (_GIVEN_UP,)
        return answer, Ran(ran.text, ran.vectors, semantic=True), (_PARTIAL,) if answer.partial else ()

    def _configuration(self, view: View) -> str | None:
        if self._wishes.semantic == "none" or time.monotonic() < self._semantic_again:
            return None
        return self._wishes.semantic or next(iter(view.shapes.content.semantic), None)

    async def _hits(self, view: View, rows: Sequence[Row], ran: Ran) -> tuple[Hit, ...]:
        documents = await self._documents.of(view, rows)
        return tuple(
            _hit(row, documents[row["doc_id"]], score, ran)
            for row, score in zip(rows, scores(rows, ran), strict=True)
        )


def plain_words(text: str) -> str:
    """The query without anything that the service's query syntax takes for an operator, bounded in words."""
    spaced = _spaced(text)
    ends = [word.end() for word in itertools.islice(_WORD.finditer(spaced), MOST_WORDS)]
    # What lies beyond the last word that counts is dropped only where there are more words.
    return spaced[: ends[-1]] if len(ends) == MOST_WORDS else spaced if ends else ""


def _spaced(text: str) -> str:
    return " ".join(_OPERATORS.sub(" ", unicodedata.normalize("NFC", text)).split())


def _semantic(configuration: str, text: str) -> dict[str, Any]:
    return {
        "query_type": "semantic", "semantic_configuration_name": configuration, "semantic_query": text,
        "query_caption": "extractive", "semantic_error_mode": "partial",
        "semantic_max_wait_in_milliseconds": SEMANTIC_WAIT,
    }  # fmt: skip


def _hit(row: Row, document: Document, score: float, ran: Ran) -> Hit:
    captions = row.get("@search.captions") or ()
    return Hit(
        block_of(row),
        document,
        score,
        ran.kind,
        lexical=float(row.get(SCORE) or 0.0) if ran.mode == "lexical" else None,
        vector=cosine(row) if ran.kind == "vector" else None,
        highlight=next((clean(one.text) for one in captions if one.text), None),
    )


def _reason(view: View, *, empty: bool) -> tuple[str, ...]:
    return (NO_IDENTITY,) if empty and view.caller.anonymous else ()


_CUT = f"The query was cut to its first {MOST_WORDS} words."
_REFUSED = (
    "The service refused semantic ranking with configuration {name}, so this answer was ranked without it. "
    "`ibid doctor` says more; RAG_AZURE_SEMANTIC_CONFIG=none turns it off."
)
_GIVEN_UP = "Semantic ranking took too long or was over its limit, so this answer was ranked without it."
_PARTIAL = "Semantic ranking was cut short, so the order of this answer is not its best."
