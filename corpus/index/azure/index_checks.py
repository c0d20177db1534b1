"""Checks by `ibid doctor` for Azure: whether both indexes respond, fit together and store access lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from azure.core.exceptions import ClientAuthenticationError

from corpus.access import ANONYMOUS, KINDS, PUBLIC
from corpus.diagnostics import Finding
from corpus.errors import AzureSearchError, IbidError, NotConfigured
from corpus.index.azure.filter_conditions import id_condition
from corpus.index.azure.query import SEMANTIC_WAIT, plan, queries
from corpus.index.azure.rows import RERANKED
from corpus.index.azure.schema.create_indexes import content_index, documents_index
from corpus.index.azure.schema.fields import (
    ACCESS,
    DOCUMENT_KEY,
    FILTERED_OF_BLOCKS,
    FILTERED_OF_DOCUMENTS,
    REQUIRED_OF_BLOCKS,
    REQUIRED_OF_DOCUMENTS,
)
from corpus.index.azure.schema.index_schema import Mark, Shape, Shapes, check_rows, mark_in, shape_of
from corpus.index.azure.schema.schema_diff import differences
from corpus.index.azure.search import Wishes
from corpus.index.azure.service.azure_errors import status_of
from corpus.index.azure.service.connection import MAX_ROWS, Connection
from corpus.odata import build_security_filter

if TYPE_CHECKING:
    from azure.search.documents.indexes.models import SearchIndex

    from corpus.embedding.protocol import Embedder

MANY = 0.1
"""Minimum fraction of documents without a row that causes a warning. A running upload, which writes a document's row
last, may explain smaller fractions."""


async def documents_of_blocks(connection: Connection, content: str, documents: str) -> Finding:
    """Check that the documents index contains the documents of a sample of blocks. Raises AzureSearchError."""
    blocks = await connection.search(content, top=MAX_ROWS, filter=None, select=[DOCUMENT_KEY])
    ids = {row[DOCUMENT_KEY] for row in blocks.rows if isinstance(row.get(DOCUMENT_KEY), str)}
    if not ids:
        return Finding("note", "documents", f"{content} shows no block whose document could be looked up")
    wanted = id_condition(DOCUMENT_KEY, ids)
    answer = await connection.search(documents, top=len(ids), filter=wanted, select=[DOCUMENT_KEY])
    missing = len(ids - {row.get(DOCUMENT_KEY) for row in answer.rows})
    looked = f"of {len(ids)} documents that have blocks in {content}, {missing} have no row in {documents}"
    if missing < MANY * len(ids) or not missing:
        return Finding("ok", "documents", looked)
    return Finding(
        "warning", "documents", f"{looked}: searches find them, but they cannot be listed or opened.",
        "Check AZURE_SEARCH_CONTENT_INDEX and AZURE_SEARCH_DOCUMENTS_INDEX: the two may be of different uploads.",
    )  # fmt: skip


MAX_LOOKED_AT = 5 * MAX_ROWS
"""Maximum number of rows of each index that the check reads."""


async def without_identity(connection: Connection, index: str) -> Finding:
    """Check that a search without a caller's identity returns only public rows. Raises AzureSearchError."""
    where = build_security_filter(ANONYMOUS, prefixed=True)
    every = await connection.search(index, top=0, filter=None, include_total_count=True)
    seen = 0
    public = await connection.search(index, top=0, filter=where, include_total_count=True)
    for skip in range(0, MAX_LOOKED_AT, MAX_ROWS):
        try:
            answer = await connection.search(index, top=MAX_ROWS, skip=skip, filter=where, select=[ACCESS])
        except AzureSearchError as error:
            if status_of(error) != 400:
                raise
            return Finding(
                "note", "access", f"{_counted(index, public.total, every.total)}; the index does not show its access "
                "lists, so it could not be checked that each row has *",
            )  # fmt: skip
        if any(PUBLIC not in (row.get(ACCESS) or ()) for row in answer.rows):
            return Finding(
                "failed", "access", f"without identity, {index} returns rows whose access list lacks *.",
                "Do not serve this index: something between here and the service changes filters or answers.",
            )  # fmt: skip
        seen += len(answer.rows)
        if len(answer.rows) < MAX_ROWS:
            break
    looked = "" if seen == public.total else f", of which {seen} were looked at"
    return Finding("ok", "access", f"{_counted(index, public.total, every.total)}{looked}")


async def looks_prefixed(connection: Connection, index: str) -> bool | None:
    """Return whether names in access lists include their kind (`user:ann`), or None if no names are visible or only
    some of them do."""
    try:
        answer = await connection.search(index, top=MAX_ROWS, filter=None, select=[ACCESS])
    except AzureSearchError as error:
        if status_of(error) != 400:
            raise
        return None
    names = {name for row in answer.rows for name in row.get(ACCESS) or () if name != PUBLIC}
    prefixed = {name.partition(":")[0] in KINDS and ":" in name for name in names}
    return prefixed.pop() if len(prefixed) == 1 else None


def _counted(index: str, public: int | None, every: int | None) -> str:
    return f"without identity, {index} gives {public} of its {every} rows, those for everybody"


QUERY = "ready"
UNREAD = (
    "this credential may not read the definition of index {index}; searches do not need it, but settings must say what "
    "is in it (`ibid azure create-indexes` prints them)"
)
UNKNOWN = "not known with this credential"
SEMANTIC_CURE = (
    "The service must have the semantic ranker (a tier above free, and its plan not used up), and the name must be one "
    "of the index's. RAG_AZURE_SEMANTIC_CONFIG=none turns it off."
)


class Diagnostics:
    """Checks of a service, to be called in the order of their definition. Each raises IbidError if a request fails."""

    def __init__(
        self, connection: Connection, content: str, documents: str, wishes: Wishes, prefixes: bool | None
    ) -> None:
        self._connection = connection
        self._wishes = wishes
        self._prefixes = prefixes
        self._shapes = {content: Shape(content), documents: Shape(documents)}
        self.content, self.documents = content, documents
        self.looked_at: set[str] = set()
        """Names of the indexes whose definition has been requested."""

    @property
    def says_embedder(self) -> bool:
        """Return whether the content index names its embedder, has a vectorizer, or has no vectors. Call this after
        `fields`."""
        shape = self._shapes[self.content]
        mark = mark_in(shape.description)
        vectors = [one for one in shape.fields.values() if one.dimensions]
        return shape.known and (bool(mark and mark.embedder) or not vectors or any(one.vectorized for one in vectors))

    async def answers(self, index: str) -> Finding:
        """Check that this credential can search the index, and that the two indexes are not swapped."""
        answer = await self._connection.search(index, top=1, filter=None, include_total_count=True)
        try:
            check_rows(answer.rows, index, blocks=index == self.content)
        except NotConfigured as error:
            return Finding("failed", "index", str(error), " ".join(error.hints))
        return Finding("ok", "index", f"{index} answers, and holds {answer.total} rows")

    async def fields(self, index: str) -> Finding:
        """Check that the required fields exist, and report which other fields are missing."""
        definition = await self._connection.definition(index)
        self.looked_at.add(index)
        if definition is None:
            return Finding("note", "fields", UNREAD.format(index=index))
        shape = self._shapes[index] = shape_of(index, definition)
        blocks = index == self.content
        try:
            shape.check(
                REQUIRED_OF_BLOCKS if blocks else REQUIRED_OF_DOCUMENTS,
                FILTERED_OF_BLOCKS if blocks else FILTERED_OF_DOCUMENTS,
            )
        except NotConfigured as error:
            return Finding("failed", "fields", str(error), " ".join(error.hints))
        lacks = self._lacks(definition, blocks=blocks)
        if not lacks:
            return Finding("ok", "fields", f"{index} has every field as it should be")
        return Finding("note", "fields", f"{index} can be used; unlike an index that Ibid creates, {'; '.join(lacks)}")

    async def principals(self) -> Finding:
        """Report how principals in access lists are interpreted."""
        shapes = [self._shapes[name] for name in (self.content, self.documents)]
        try:
            prefixed = Shapes(*shapes).prefixed(self._prefixes)
        except NotConfigured as error:
            return Finding("failed", "principals", str(error))
        if any(mark_in(one.description) for one in shapes):
            return Finding("ok", "principals", f"access lists hold {_written(prefixed)} (the index says so)")
        looks = await looks_prefixed(self._connection, self.content)
        if looks is None:
            return self._unseen(prefixed)
        taken = f"access lists are assumed to contain {_written(prefixed)}"
        if looks != prefixed:
            cure = f"Set RAG_PRINCIPAL_PREFIXES={str(looks).lower()}."
            return Finding("warning", "principals", f"{taken}, but they look different.", cure)
        return Finding("ok", "principals", f"{taken}, and the rows that were read confirm this")

    def _unseen(self, prefixed: bool) -> Finding:
        """Return the finding for the case that neither the index nor any row shows how principals are written."""
        if self._prefixes is not None:
            return Finding(
                "note", "principals", f"access lists are assumed to contain {_written(prefixed)}, as "
                "RAG_PRINCIPAL_PREFIXES says; no row shows a name",
            )  # fmt: skip
        why = "no row shows a name" if self._shapes[self.content].known else f"{UNKNOWN}, and no row shows a name"
        return Finding(
            "note", "principals", f"access lists are assumed to contain {_written(prefixed)}; {why}.",
            "Set RAG_PRINCIPAL_PREFIXES=true for an index that Ibid made.",
        )  # fmt: skip

    async def vectors(self, embedder: Embedder | None) -> Finding:
        """Check vector search by running a query."""
        wishes, shape = self._wishes, self._shapes[self.content]
        chosen = plan(shape, wishes.vector_fields, wishes.embedder, embedder)
        if not chosen.fields:
            if wishes.vector_fields == () or not chosen.why:
                return Finding("note", "vectors", "there are no vector fields; searches are by words")
            return Finding("warning", "vectors", f"searches are by words. {chosen.why}")
        names = ", ".join(chosen.fields)
        by = f"by {chosen.embedder.id}" if chosen.embedder else "by the index's own vectorizer"
        vector_queries, problem = await queries(chosen, QUERY, 1)
        if not vector_queries:
            return Finding("failed", "vectors", " ".join(problem))
        try:
            await self._connection.search(self.content, top=1, filter=None, vector_queries=vector_queries)
        except AzureSearchError as error:
            if status_of(error) != 400:
                raise
            return Finding(
                "failed", "vectors", f"the service refuses vectors {by} for {names}.",
                "Check RAG_AZURE_VECTOR_FIELDS and RAG_AZURE_EMBEDDER, the length of the vectors, and the vectorizer.",
            )  # fmt: skip
        return Finding("ok", "vectors", f"{names} can be searched {by}")

    async def semantic(self) -> Finding:
        """Check semantic ranking with the same configuration that searches use."""
        shape, wanted = self._shapes[self.content], self._wishes.semantic
        name = None if wanted == "none" else wanted or next(iter(shape.semantic), None)
        if name is None:
            return self._unranked()
        if shape.known and name not in shape.semantic:
            has = ", ".join(shape.semantic) or "none"
            return Finding(
                "failed", "semantic", f"the index has no configuration {name}; it has {has}.",
                "Check RAG_AZURE_SEMANTIC_CONFIG.",
            )  # fmt: skip
        try:
            answer = await self._connection.search(
                self.content, QUERY, top=1, filter=None, query_type="semantic", semantic_error_mode="partial",
                semantic_configuration_name=name, semantic_max_wait_in_milliseconds=SEMANTIC_WAIT,
            )  # fmt: skip
        except AzureSearchError as error:
            if status_of(error) not in (400, 402):
                raise
            return Finding("failed", "semantic", f"the service refuses configuration {name}.", SEMANTIC_CURE)
        if answer.partial or (answer.rows and answer.rows[0].get(RERANKED) is None):
            return Finding("warning", "semantic", f"{name} exists, but the service gave up ranking.", SEMANTIC_CURE)
        return Finding("ok", "semantic", f"{name} answers")

    def _unranked(self) -> Finding:
        if self._wishes.semantic == "none":
            return Finding("note", "semantic", "off (RAG_AZURE_SEMANTIC_CONFIG=none)")
        if self._shapes[self.content].known:
            return Finding("note", "semantic", "the index has no configuration; searches are ranked without one")
        return Finding(
            "note", "semantic", f"whether the index has a configuration is {UNKNOWN}; searches are ranked without one.",
            "RAG_AZURE_SEMANTIC_CONFIG names one, or none.",
        )  # fmt: skip

    def _lacks(self, definition: SearchIndex, *, blocks: bool) -> list[str]:
        mark = mark_in(definition.description or "") or Mark(prefixed=False)
        made = (
            content_index(definition.name, dimensions=None, mark=mark)
            if blocks
            else documents_index(definition.name, mark=mark)
        )
        # The analyzer and the embedder are the owner's choice.
        return [difference.text for difference in differences(definition, made) if difference.kind != "choice"]


def _written(prefixed: bool) -> str:
    return "names with their kind, such as user:ann" if prefixed else "plain names, such as ann"


def at_fault(error: IbidError) -> str:
    """Return the cause of a failed first request: service, credential or index."""
    status = status_of(error)
    if status in (401, 403) or isinstance(error.__cause__, ClientAuthenticationError):
        return "credential"
    return "index" if status in (400, 404) else "service"


def was_answered(error: IbidError) -> bool:
    """Return whether the failure was reported by the service, not by the network or the identity provider."""
    return status_of(error) is not None
