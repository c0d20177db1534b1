"""Search requests, the preparation of their query text, and search results. These are the same for every index."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from corpus.access import Caller
from corpus.documents.block import Block
from corpus.documents.document import Document
from corpus.errors import IbidError, InvalidRequest
from corpus.filters import Filters
from corpus.text.normalization import clean

if TYPE_CHECKING:
    from corpus.embedding.protocol import Embedder, Vectors

Mode = Literal["lexical", "vector", "hybrid", "semantic", "none"]
ScoreKind = Literal["semantic", "hybrid", "vector", "text", "reranked", "none"]


ANSWERS = 0.5
"""Minimum relevance at which a hit seems to answer the question. docs/retrieval.md reports how many questions are on
either side of it."""


@dataclass(frozen=True, slots=True)
class Search:
    """A search request. `query` is the text of the question, and `top_k` is the wanted number of hits."""

    query: str
    top_k: int = 10
    filters: Filters = field(default_factory=Filters)


@dataclass(frozen=True, slots=True)
class Hit:
    """A block with its document and score (0..1, for ordering within one answer).

    The document may lack its outline and page labels, which can be longer than all hits together; `Index.document`
    returns them. `lexical` is the raw BM25 score, and `vector` is the raw cosine; each is None if that part of the
    search did not find the block. `highlight` is the passage that a semantic ranker considers the best answer.
    """

    block: Block
    document: Document
    score: float
    score_kind: ScoreKind
    lexical: float | None = None
    vector: float | None = None
    highlight: str | None = None


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits, best first, with the search mode that was actually used and warnings.

    `relevance` (0..1) estimates whether any hit answers the question; it is None if that cannot be estimated. If it is
    below `ANSWERS`, no hit seems to answer it. `of_hits` contains the warnings about this and about individual hits. A
    synthesized answer, which uses only a few of the hits, warns about its own sources instead. `unknown` contains the
    words of the query that occur in no readable passage.
    """

    hits: tuple[Hit, ...]
    mode: Mode
    warnings: tuple[str, ...] = ()
    relevance: float | None = None
    of_hits: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """A request for a list of documents. `after` is the `next_after` of the previous page."""

    query: str | None = None
    filters: Filters = field(default_factory=Filters)
    sort_by: str = "upload_date"
    limit: int = 20
    after: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentList:
    """A page of a list of documents. `total` counts all readable matches. As with the document of a search hit, some
    fields of `documents` may be missing."""

    documents: tuple[Document, ...]
    total: int
    next_after: str | None = None
    warnings: tuple[str, ...] = ()


# A long run of characters without a space (encoded data, a stuck key) is meaningless and costs an embedder seconds.
# Scripts that are written without spaces are above U+0DFF.
_RUN = re.compile(r"([!-\u0dff]{120})[!-\u0dff]+")


MAX_QUERY_CHARACTERS = 4000
"""Maximum length of a query in characters."""


def question(query: str) -> str:
    """Clean the query, cut it to the maximum length, and return it. Raises InvalidRequest if nothing is left."""
    text = clean(query[: 4 * MAX_QUERY_CHARACTERS]).strip()
    if not text:
        raise InvalidRequest("The query is empty. Ask with the words that the documents would use.")
    return text[:MAX_QUERY_CHARACTERS]


def embeddable(text: str, longest: int) -> str:
    """Return text that any embedder accepts: clean, at most `longest` characters, and without long unbroken runs. It
    may be empty."""
    return _RUN.sub(r"\1", clean(text[: 4 * longest])).strip()[:longest]


def bound_query(query: str, longest: int) -> tuple[str, tuple[str, ...]]:
    """Return the query that is used for the search, and a warning if it was cut."""
    warnings = (f"The query was cut to its first {longest} characters.",) if len(query) > longest else ()
    return embeddable(query, longest), warnings


async def embed_query(embedder: Embedder, text: str) -> tuple[Vectors | None, tuple[str, ...]]:
    """Return the query's vector, shape (dimensions,), or None and a warning if the embedder fails."""
    try:
        return await embedder.query(text), ()
    except IbidError as problem:
        return None, (f"The query could not be embedded, so this answer was found by keyword search only. {problem}",)


AT_ONCE = 100
"""Number of documents per page of a list."""


class Lists(Protocol):
    """An object that can list documents: a library or an index."""

    async def list_documents(self, listing: Listing, caller: Caller) -> DocumentList:
        """Return one page of readable documents."""


async def every_document(lists: Lists, caller: Caller, *, sort_by: str = "upload_date") -> AsyncIterator[Document]:
    """Yield all readable documents in this order. The next page is requested only after the last document of the
    previous one has been consumed."""
    after = None
    while True:
        listed = await lists.list_documents(Listing(sort_by=sort_by, limit=AT_ONCE, after=after), caller)
        for document in listed.documents:
            yield document
        after = listed.next_after
        if after is None or not listed.documents:
            return
