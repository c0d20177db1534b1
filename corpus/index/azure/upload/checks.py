"""Check before an upload that the local index and the service agree on the embedder and the form of access lists."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from corpus.errors import AzureSearchError, NotConfigured
from corpus.index.azure.query import VECTORIZER
from corpus.index.azure.schema.fields import BLOCK_KEY, CAPTION_VECTOR, CONTENT_VECTOR
from corpus.index.azure.schema.index_schema import Shape, mark_in, principal_form
from corpus.index.azure.service.connection import Connection
from corpus.index.azure.service.failures import status_of

if TYPE_CHECKING:
    from corpus.embedding.protocol import Embedder


async def check_credential(connection: Connection, content: str, *, write: bool) -> None:
    """Raise NotConfigured if the credential may not read the index or, with `write`, may not upload to it.

    A credential that may read the definition usually may do both. Other credentials are tested with a search, or with
    the deletion of a row that does not exist.
    """
    if await connection.definition(content) is not None:
        return
    try:
        if write:
            await connection.delete(content, BLOCK_KEY, [f"none-{secrets.token_hex(8)}"])
        else:
            await connection.search(content, top=0, filter=None)
    except AzureSearchError as error:
        if status_of(error) not in (401, 403):
            raise
        text = f"This credential may not write into index {content}."
        raise NotConfigured(text if write else str(error), hints=error.hints[:2]) from error


WITHOUT = "Or push without vectors: --no-vectors."


def check_principals(local: bool, content: Shape, documents: Shape, wanted: bool | None) -> None:
    """Raise NotConfigured if only one side has principals with their kind. Then nobody could read the documents, or a
    name could open documents of another kind of principal."""
    _check_principals(local, content, wanted)
    if mark_in(documents.description):
        _check_principals(local, documents, wanted)


def _check_principals(local: bool, content: Shape, wanted: bool | None) -> None:
    mark = mark_in(content.description)
    there = mark.prefixed if mark else bool(wanted)
    if there == local:
        return
    cure = (
        "Name indexes made for this folder (AZURE_SEARCH_CONTENT_INDEX, AZURE_SEARCH_DOCUMENTS_INDEX), or ingest into "
        "a new folder."
        if mark
        else f"Set RAG_PRINCIPAL_PREFIXES={str(local).lower()} if its readers use it so too."
    )
    theirs = f"{_subject(content, wanted)} {principal_form(there)}"
    raise NotConfigured(f"The local index has {principal_form(local)} in its access lists, and {theirs}. {cure}")


def _subject(content: Shape, wanted: bool | None) -> str:
    if mark_in(content.description):
        return f"index {content.index} has"
    if wanted is not None:
        return f"RAG_PRINCIPAL_PREFIXES says that index {content.index} has"
    why = "which Ibid did not make" if content.known else "whose making this credential may not see"
    return f"index {content.index}, {why}, is taken to have"


def whose_vectors(
    content: Shape, fields: tuple[str, ...] | None, model: str | None, embedder: Embedder | None
) -> tuple[str | None, str]:
    """Return the id of the embedder whose vectors are uploaded, or None with the reason.

    `fields` and `model` are RAG_AZURE_VECTOR_FIELDS and RAG_AZURE_EMBEDDER. Raises NotConfigured if one index would
    contain vectors of two models. Equal dimensions do not prove that the models are equal.
    """
    if fields == () or (content.known and not _vector_fields(content)):
        return None, "The index has no vector fields, so no vectors are uploaded."
    if embedder is None:
        return None, "RAG_EMBEDDER gives no vectors here, so none are uploaded; searches are by words."
    mark = mark_in(content.description)
    marked = mark.embedder if mark else None
    expected = marked if model in (None, VECTORIZER) else model
    if expected is None:
        raise NotConfigured(
            f"Nothing says whose vectors index {content.index} holds. If they are of {embedder.id}, or it is empty, "
            f"set RAG_AZURE_EMBEDDER={embedder.id}. {WITHOUT}"
        )
    for other in {expected, marked or expected}:
        if other != embedder.id:
            raise NotConfigured(
                f"Index {content.index} holds vectors of {other}, and those here are of {embedder.id}. Set "
                f"RAG_EMBEDDER to the model of the index and run `ibid ingest`, or name another index. {WITHOUT}"
            )
    for name in _vector_fields(content):
        if content.fields[name].dimensions != embedder.dimensions:
            raise NotConfigured(
                f"Field {name} of index {content.index} takes {content.fields[name].dimensions} dimensions, and "
                f"{embedder.id} makes {embedder.dimensions}. Name another index. {WITHOUT}"
            )
    return embedder.id, ""


def _vector_fields(content: Shape) -> list[str]:
    return [
        name for name in (CONTENT_VECTOR, CAPTION_VECTOR) if name in content.fields and content.fields[name].dimensions
    ]
