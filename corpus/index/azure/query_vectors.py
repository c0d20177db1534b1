"""How a query is compared with the vectors of the index, and why not where it cannot be.

Vectors of two models of equal length are not comparable, so the server's embedder is used only where something says
that the index's vectors are its own: the setting, or the mark that Ibid leaves in an index that it makes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from azure.search.documents.models import VectorizableTextQuery, VectorizedQuery

from corpus.index.azure.fields import CAPTION_VECTOR, CONTENT_VECTOR
from corpus.index.azure.mark import mark_in
from corpus.index.azure.refusals import Extra
from corpus.index.azure.shape import Shape
from corpus.queries import embed_query

if TYPE_CHECKING:
    from corpus.embedding.protocol import Embedder

VECTORIZER = "vectorizer"
"""The value of RAG_AZURE_EMBEDDER that stands for the index's own."""

NEAREST = 50
"""Neighbours that each vector field gives to the fusion, at least."""

PATIENCE = 8.0
"""Seconds for an answer with vectors of the index's own vectorizer, which leaves time for one by words."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Which vector fields are searched, and by whose vector: that of this embedder, or without one the index's own.
    Without fields, `why` says the reason if there is one to tell."""

    fields: tuple[str, ...] = ()
    why: str = ""
    embedder: Embedder | None = None


def plan(shape: Shape, fields: tuple[str, ...] | None, named: str | None, embedder: Embedder | None) -> Plan:
    """`fields` and `named` are what the settings say: the vector fields, and the model that made their vectors."""
    told = fields is not None
    if fields is None:
        fields = tuple(name for name, one in shape.fields.items() if one.dimensions and shape.known)
        fields = tuple(
            sorted(fields, key=lambda name: (name != CONTENT_VECTOR, name != CAPTION_VECTOR, name))
        )
    if not fields:
        return Plan(why="" if shape.known or told else _UNKNOWN)
    vectorized = tuple(name for name in fields if name in shape.fields and shape.fields[name].vectorized)
    if named == VECTORIZER:
        return Plan(fields)
    if named is None and vectorized:
        return Plan(vectorized)
    return _by_the_server(shape, fields, named or _marked(shape), embedder)


async def queries(chosen: Plan, text: str, top_k: int) -> tuple[list[Any], tuple[str, ...]]:
    """The vector queries, and what the reader of the answer should know."""
    if not chosen.fields:
        return [], (f"This answer was found by words alone. {chosen.why}",) if chosen.why else ()
    fields, nearest = ",".join(chosen.fields), max(NEAREST, top_k)
    if chosen.embedder is None:
        return [VectorizableTextQuery(text=text, k_nearest_neighbors=nearest, fields=fields)], ()
    vector, problem = await embed_query(chosen.embedder, text)
    if vector is None:
        return [], problem
    query = VectorizedQuery(vector=[], k_nearest_neighbors=nearest, fields=fields)
    query["vector"] = (
        vector.tolist()
    )  # given to the model, each number is looked at, which takes a millisecond
    return [query], ()


def by_vectors(chosen: Plan, vectors: Sequence[Any]) -> Extra:
    """What is asked for vector queries. A vectorizer that fails is answered with 502, and any of these can pass on
    what its model said; while it is waited for, the service is silent."""
    wishes = {"vector_queries": list(vectors), "vector_filter_mode": "preFilter"}
    if chosen.embedder:
        return Extra(wishes, frozenset({400}))
    return Extra(wishes, frozenset({400, 429, 500, 502, 503, 504}), PATIENCE)


def refused(chosen: Plan) -> str:
    fields = ", ".join(chosen.fields)
    told = "" if chosen.embedder else ", or the index's vectorizer failed or took too long"
    return (
        f"This answer was found by words alone: the service refused vectors for {fields}{told}. Check "
        "RAG_AZURE_VECTOR_FIELDS and RAG_AZURE_EMBEDDER; `ibid doctor` says more. Vectors are tried again some minutes "
        "after a refusal."
    )


def _by_the_server(
    shape: Shape, fields: tuple[str, ...], named: str | None, embedder: Embedder | None
) -> Plan:
    if named is None:
        return Plan(why="Nothing says which model made the vectors of this index; RAG_AZURE_EMBEDDER can.")
    if embedder is None:
        return Plan(
            why=f"The vectors of this index are of {named}, and this server has no embedder. Set RAG_EMBEDDER."
        )
    if embedder.id != named:
        return Plan(
            why=f"The vectors of this index are of {named}, and this server's embedder is {embedder.id}."
        )
    unlike = [
        f
        for f in fields
        if f in shape.fields and shape.fields[f].dimensions not in (None, embedder.dimensions)
    ]
    if unlike:
        return Plan(
            why=f"Field {', '.join(unlike)} has vectors of another length than {embedder.id} makes "
            f"({embedder.dimensions})."
        )
    return Plan(fields, embedder=embedder)


def _marked(shape: Shape) -> str | None:
    mark = mark_in(shape.description)
    return mark.embedder if mark else None


_UNKNOWN = (
    "This credential may not read the definition of the index. Set RAG_AZURE_VECTOR_FIELDS to its vector fields, or to "
    "none."
)
