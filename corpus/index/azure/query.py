"""Build a search request with keywords, vectors and semantic ranking.

Vectors and semantic ranking are optional extras. If the service refuses a search because of an extra, the search is
repeated without it, and the extra is omitted for some minutes. An incorrect setting or a failing vectorizer therefore
reduces quality but does not prevent an answer.
"""

from __future__ import annotations

import itertools
import re
import time
import unicodedata
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

from azure.search.documents.models import VectorizableTextQuery, VectorizedQuery

from corpus.errors import AzureSearchError, Timeout
from corpus.index.azure.rows import RERANKED
from corpus.index.azure.schema.fields import CAPTION_VECTOR, CONTENT_VECTOR
from corpus.index.azure.schema.index_schema import Shape, mark_in
from corpus.index.azure.service.azure_errors import status_of
from corpus.index.azure.service.connection import Answer
from corpus.search import embed_query

if TYPE_CHECKING:
    from corpus.embedding.protocol import Embedder


Name = Literal["semantic", "vectors"]

REST = 300.0
"""Seconds for which an extra is omitted after the service refused a search because of it."""


@dataclass(frozen=True, slots=True)
class Extra:
    """An optional part of a search request. The HTTP statuses in `refused_by` may mean that the service refused it. If
    `seconds` is set, a timeout after that many seconds also counts as a refusal."""

    wishes: Mapping[str, Any]
    refused_by: frozenset[int | None]
    seconds: float | None = None

    def refused(self, error: AzureSearchError | Timeout) -> bool:
        """Return whether a failed request may be due to this extra."""
        if isinstance(error, Timeout):
            return self.seconds is not None
        return status_of(error) in self.refused_by

    @property
    def limit(self) -> dict[str, Any]:
        """Request parameters that set the shorter deadline and disable retries after a read timeout."""
        return {} if self.seconds is None else {"seconds": self.seconds, "retry_read": 0}


class Refusals:
    """The extras that a service refused, and the time until which each is omitted."""

    def __init__(self) -> None:
        self._until: dict[Name, float] = {}

    def rests(self, name: Name) -> bool:
        """Return whether the extra is currently omitted."""
        return time.monotonic() < self._until.get(name, 0.0)

    async def answer(
        self, ask: Callable[..., Awaitable[Answer]], extras: Mapping[Name, Extra]
    ) -> tuple[Answer, tuple[Name, ...]]:
        """Return the answer with as many extras as the service accepts, and the names of the omitted ones.

        Raises AzureSearchError or Timeout if the failure cannot be due to an extra.
        """
        choices = _fewest_first(extras)
        without = next(choices)
        while True:
            kept = [name for name in extras if name not in without]
            wishes: dict[str, Any] = {}
            for name in kept:
                wishes |= {**extras[name].wishes, **extras[name].limit}
            try:
                answer = await ask(**wishes)
            except (AzureSearchError, Timeout) as error:
                blamed = {name for name in kept if extras[name].refused(error)}
                if not blamed:
                    raise
                without = next(choice for choice in choices if not blamed.isdisjoint(choice))
            else:
                self._until |= dict.fromkeys(without, time.monotonic() + REST)
                return answer, without


def _fewest_first(names: Iterable[Name]) -> Iterator[tuple[Name, ...]]:
    """Yield every possible set of extras to omit, smallest first."""
    every = tuple(names)
    return (choice for many in range(len(every) + 1) for choice in combinations(every, many))


MAX_QUERY_WORDS = 256
"""Maximum number of words in a query. The service refuses a query if the number of words times the number of searched
fields exceeds 3,000. In a script without spaces, it counts each character as a word."""

CUT = f"The query was cut to its first {MAX_QUERY_WORDS} words."

_WORD = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]|[^\W_]+")
# An apostrophe within a word is kept, because the service keeps it too.
_OPERATORS = re.compile(r"[+|\"()\\*~&!]|(?<![^\W_])'|'(?![^\W_])")


def plain_words(text: str) -> tuple[str, bool]:
    """Return the query without operators (empty if it has no words), and whether words beyond MAX_QUERY_WORDS were cut
    off."""
    spaced = _spaced(text)
    ends = [word.end() for word in itertools.islice(_WORD.finditer(spaced), MAX_QUERY_WORDS + 1)]
    if len(ends) > MAX_QUERY_WORDS:
        return spaced[: ends[MAX_QUERY_WORDS - 1]], True
    return spaced if ends else "", False


def _spaced(text: str) -> str:
    pieces = _OPERATORS.sub(" ", unicodedata.normalize("NFC", text)).split()
    # A dash is an operator only at the start of a word.
    return " ".join(filter(None, (piece.lstrip("-") for piece in pieces)))


VECTORIZER = "vectorizer"
"""Value of RAG_AZURE_EMBEDDER for the index's own vectorizer."""

NEAREST = 50
"""Minimum number of nearest neighbours to request per vector field."""

PATIENCE = 8.0
"""Maximum seconds to wait for a response that needs the index's vectorizer. The remaining time of the tool call is
enough for a keyword search."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The vector fields to search, and the query embedder (None to use the index's vectorizer). If there are no fields,
    `why` is the reason, or empty if the user does not need to know it."""

    fields: tuple[str, ...] = ()
    why: str = ""
    embedder: Embedder | None = None


def plan(shape: Shape, fields: tuple[str, ...] | None, model: str | None, embedder: Embedder | None) -> Plan:
    """Return the plan for vector search. `fields` and `model` are the values of RAG_AZURE_VECTOR_FIELDS and
    RAG_AZURE_EMBEDDER."""
    configured = fields is not None
    if fields is None:
        fields = tuple(name for name, one in shape.fields.items() if one.dimensions and shape.known)
        fields = tuple(sorted(fields, key=lambda name: (name != CONTENT_VECTOR, name != CAPTION_VECTOR, name)))
    if not fields:
        return Plan(why="" if shape.known or configured else _UNKNOWN)
    vectorized = tuple(name for name in fields if name in shape.fields and shape.fields[name].vectorized)
    if model == VECTORIZER:
        return Plan(fields)
    if model is None and vectorized:
        return Plan(vectorized)
    mark = mark_in(shape.description)
    return _by_the_server(shape, fields, model or (mark.embedder if mark else None), embedder)


async def queries(chosen: Plan, text: str, top_k: int) -> tuple[list[Any], tuple[str, ...]]:
    """Return the vector queries for a text, and warnings."""
    if not chosen.fields:
        return [], (f"This answer was found by keyword search only. {chosen.why}",) if chosen.why else ()
    fields, nearest = ",".join(chosen.fields), max(NEAREST, top_k)
    if chosen.embedder is None:
        return [VectorizableTextQuery(text=text, k_nearest_neighbors=nearest, fields=fields)], ()
    vector, problem = await embed_query(chosen.embedder, text)
    if vector is None:
        return [], problem
    query = VectorizedQuery(vector=[], k_nearest_neighbors=nearest, fields=fields)
    query["vector"] = vector.tolist()  # the SDK's constructor would spend a millisecond on validation
    return [query], ()


def by_vectors(chosen: Plan, vectors: Sequence[Any]) -> Extra:
    """Return the extra for vector queries. If a vectorizer fails, the service returns 502 or passes on the status from
    the vectorizer's model. While it waits for the vectorizer, it sends no data."""
    wishes = {"vector_queries": list(vectors), "vector_filter_mode": "preFilter"}
    if chosen.embedder:
        return Extra(wishes, frozenset({400}))
    return Extra(wishes, frozenset({400, 429, 500, 502, 503, 504}), PATIENCE)


def without_vectors(chosen: Plan) -> str:
    """Return the warning that the service refused vectors."""
    fields = ", ".join(chosen.fields)
    or_vectorizer = "" if chosen.embedder else ", or the index's vectorizer failed or took too long"
    return (
        f"This answer was found by keyword search only: the service refused vectors for {fields}{or_vectorizer}. Check "
        "RAG_AZURE_VECTOR_FIELDS and RAG_AZURE_EMBEDDER; `ibid doctor` says more. Vectors are tried again some minutes "
        "after a refusal."
    )


def _by_the_server(shape: Shape, fields: tuple[str, ...], model: str | None, embedder: Embedder | None) -> Plan:
    if model is None:
        return Plan(why="The model of this index's vectors is unknown. Set RAG_AZURE_EMBEDDER.")
    if embedder is None:
        return Plan(why=f"The vectors of this index are of {model}, and this server has no embedder. Set RAG_EMBEDDER.")
    if embedder.id != model:
        return Plan(why=f"The vectors of this index are of {model}, and this server's embedder is {embedder.id}.")
    unlike = [f for f in fields if f in shape.fields and shape.fields[f].dimensions not in (None, embedder.dimensions)]
    if unlike:
        return Plan(
            why=f"Field {', '.join(unlike)} has vectors of another length than {embedder.id} makes "
            f"({embedder.dimensions})."
        )
    return Plan(fields, embedder=embedder)


_UNKNOWN = (
    "This credential may not read the definition of the index. Set RAG_AZURE_VECTOR_FIELDS to its vector fields, or to "
    "none."
)


SEMANTIC_WAIT = 2_000
"""Milliseconds after which the service answers without semantic ranking."""


def semantic(configuration: str, text: str) -> Extra:
    """Return the extra for semantic ranking."""
    wishes = {
        "query_type": "semantic", "semantic_configuration_name": configuration, "semantic_query": text,
        "query_caption": "extractive", "semantic_error_mode": "partial",
        "semantic_max_wait_in_milliseconds": SEMANTIC_WAIT,
    }  # fmt: skip
    return Extra(wishes, frozenset({400, 402}))


def ranked(answer: Answer) -> bool:
    """Return whether the answer has semantic scores. An answer without rows counts as ranked."""
    return not answer.rows or any(row.get(RERANKED) is not None for row in answer.rows)


def without_ranking(configuration: str) -> str:
    """Return the warning that the service refused semantic ranking."""
    return (
        f"The service refused semantic ranking with configuration {configuration}, so this answer was ranked without "
        "it. `ibid doctor` says more; RAG_AZURE_SEMANTIC_CONFIG=none turns it off."
    )


GIVEN_UP = "Semantic ranking took too long or was over its limit, so this answer was ranked without it."
PARTIAL = "Semantic ranking was cut short, so the order of this answer is not its best."
