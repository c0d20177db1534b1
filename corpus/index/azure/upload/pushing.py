"""Push the local index: decide for each document whether to upload, update, skip or refuse it.

A push starts only if the local index and the service have the same form of access lists and the same embedder.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from corpus.access import PUBLIC
from corpus.documents.document import Document
from corpus.errors import AzureSearchError, DocumentNotFound, NotConfigured, Timeout
from corpus.index.azure.query import VECTORIZER
from corpus.index.azure.schema.fields import BLOCK_KEY, CAPTION_VECTOR, CONTENT_VECTOR
from corpus.index.azure.schema.index_schema import Shape, mark_in, principal_form
from corpus.index.azure.service.azure_errors import status_of
from corpus.index.azure.service.connection import Connection
from corpus.index.azure.upload.batches import Refused
from corpus.index.azure.upload.document_upload import DocumentUpload
from corpus.index.azure.upload.outcomes import PushKind, PushOutcome, PushProgress, PushReport
from corpus.index.azure.upload.remote_state import RemoteState, UploadMark
from corpus.processes.gather import gather

if TYPE_CHECKING:
    from corpus.embedding.protocol import Embedder

Do = Callable[[Document], Awaitable[PushOutcome | None]]

AT_ONCE = 4
"""Maximum number of documents that are uploaded concurrently."""
FAILURES_IN_A_ROW = 3
"""Number of consecutive service failures after which the run ends."""

EVERYBODY = "everybody may read it (*); --public uploads it anyway"
FOREIGN = "the document there is of another data folder or another program; --take-over replaces it"
DISTURBED = (
    "another folder pushed a document of this id at the same time; conflicting rows are now closed to everybody: "
    "push again from one of the two folders, with --take-over"
)
GONE = "no longer in the local index; --prune removes it there too"
WAITING = "its vectors are still to come: run `ibid ingest`, or use --no-vectors"


@dataclass(frozen=True, slots=True)
class PushOptions:
    """Options of `ibid azure push`: upload public documents, dry run, remove gone documents, replace documents of other
    folders."""

    public: bool = False
    dry_run: bool = False
    prune: bool = False
    take_over: bool = False


class Push:
    """One run of a push. `standing` is the state of the service before the run."""

    def __init__(
        self,
        carrier: DocumentUpload,
        standing: RemoteState,
        *,
        wishes: PushOptions,
        progress: PushProgress,
    ) -> None:
        self._carrier, self._standing = carrier, standing
        self._wishes, self._progress = wishes, progress
        self._before: dict[str, UploadMark | None] = {}
        self._outcomes: list[PushOutcome] = []
        self._failed_in_a_row = 0

    async def run(self, documents: Sequence[Document], known: Sequence[Document] | None = None) -> PushReport:
        """Push documents. If `known` (all local documents) is given, also report or remove gone documents.

        Revocations take effect before the first upload, because uploads may take long or fail. Raises AzureSearchError
        or Timeout if the failure would affect all further documents.
        """
        documents = list({one.doc_id: one for one in documents}.values())
        self._before = {one.doc_id: self._standing.of(one.doc_id) for one in documents}
        self._progress.document_total(len(documents))
        if not self._wishes.dry_run:
            await self._each([one for one in documents if await self._is_to_narrow(one)], self._narrowed)
        failed = {one.doc_id for one in self._outcomes}
        await self._each([one for one in documents if one.doc_id not in failed], self._one)
        if known is not None:
            await self._name_gone({one.doc_id for one in known})
        names = {one.doc_id: one.filename for one in documents}
        for doc_id in await self._carrier.second_look():
            self._done(PushOutcome("failed", doc_id, names[doc_id], DISTURBED))
        unseen = self._standing.unseen if known is not None else 0
        return PushReport(tuple(self._outcomes), self._carrier.without_picture, unseen)

    async def _each(self, documents: Sequence[Document], what: Do) -> None:
        """Process the documents concurrently, and report the outcome of each."""

        async def go(document: Document) -> None:
            outcome = await self._attempted(document.doc_id, document.filename, lambda: what(document))
            if outcome:
                self._done(outcome)

        await gather([partial(go, document) for document in documents], at_once=AT_ONCE)

    async def _attempted(
        self, doc_id: str, name: str, what: Callable[[], Awaitable[PushOutcome | None]]
    ) -> PushOutcome | None:
        try:
            return await what()
        except Refused as error:
            self._standing.sent.landed(doc_id)
            return PushOutcome("failed", doc_id, name, str(error))
        except (AzureSearchError, Timeout) as error:
            if status_of(error):
                self._standing.sent.landed(doc_id)
            self._failed_in_a_row += 1
            if not _is_of_the_moment(error) or self._failed_in_a_row >= FAILURES_IN_A_ROW:
                raise
            return PushOutcome("failed", doc_id, name, str(error))
        except DocumentNotFound:
            return PushOutcome("failed", doc_id, name, "it was removed from the local index meanwhile")

    async def _is_to_narrow(self, document: Document) -> bool:
        """Return whether the access list or facts may have changed since the upload."""
        if not self._standing.may_hold(document.doc_id):
            return False
        before = self._before[document.doc_id]
        return before is None or before.facts != (await self._carrier.state(document)).facts

    async def _narrowed(self, document: Document) -> None:
        await self._carrier.narrow(document)
        self._standing.sent.landed(document.doc_id)
        self._failed_in_a_row = 0

    async def _one(self, document: Document) -> PushOutcome:
        doc_id, before = document.doc_id, self._before[document.doc_id]
        wanted = await self._carrier.state(document)
        taking_over = self._wishes.take_over and self._standing.is_foreign(doc_id)
        if before and before.is_state(wanted) and not taking_over:
            return _outcome("unchanged", document)
        hindrance = self._hindrance(document, before, wanted)
        if hindrance:
            return hindrance
        if self._wishes.dry_run:
            same = before is not None and before.same_blocks(wanted)
            return _outcome("updated" if same else "pushed", document)
        # Its access list may have changed since the documents were listed.
        whole = await self._carrier.whole(doc_id)
        hindrance = self._hindrance(whole.document, before, await self._carrier.state(whole.document), whole.waiting)
        if hindrance:
            return hindrance
        kind = await self._carrier.carry(whole, before, partial(self._progress.document_waits, document.filename))
        self._failed_in_a_row = 0
        return _outcome(kind, document)

    def _hindrance(
        self, document: Document, before: UploadMark | None, wanted: UploadMark, waiting: int = 0
    ) -> PushOutcome | None:
        """Return the outcome of a document that must not, or cannot yet, be uploaded, otherwise None. `waiting` counts
        passages without a vector."""
        if PUBLIC in document.access_control_list and not self._wishes.public:
            return _outcome("refused", document, EVERYBODY)
        if self._standing.is_foreign(document.doc_id) and not self._wishes.take_over:
            return _outcome("refused", document, FOREIGN)
        # Vectors and pictures on the service are irrelevant if this run would omit them.
        same = before is not None and before.same_blocks(wanted)
        if self._carrier.embedder and not same and (waiting or document.status == "text"):
            return _outcome("waiting", document, WAITING)
        return None

    async def _name_gone(self, known: set[str]) -> None:
        """Report or remove gone documents that were uploaded from this local index. The service may also contain
        documents from others."""
        for doc_id in self._standing.gone(known):
            if not self._wishes.prune:
                self._done(PushOutcome("gone", doc_id, doc_id, GONE))
            elif outcome := await self._attempted(doc_id, doc_id, partial(self._removed, doc_id)):
                self._done(outcome)

    async def _removed(self, doc_id: str) -> PushOutcome:
        if not self._wishes.dry_run:
            await self._carrier.remove(doc_id)
            self._failed_in_a_row = 0
        return PushOutcome("removed", doc_id, doc_id)

    def _done(self, outcome: PushOutcome) -> None:
        self._outcomes.append(outcome)
        self._progress.document_done(outcome)


def _outcome(kind: PushKind, document: Document, detail: str = "") -> PushOutcome:
    return PushOutcome(kind, document.doc_id, document.filename, detail)


def _is_of_the_moment(error: AzureSearchError | Timeout) -> bool:
    """Return whether another document may succeed, which is true unless the connection or the credential caused the
    failure."""
    status = status_of(error)
    return isinstance(error, Timeout) or status in (400, 408, 409, 413, 429) or (status or 0) >= 500


async def check_credential(connection: Connection, content: str, *, write: bool) -> None:
    """Raise NotConfigured if the credential may not read the index or, with `write`, may not upload to it.

    A credential that may read the definition may usually do both. Other credentials are tested with a search, or by
    deleting a row that does not exist.
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
    """Raise NotConfigured if only one of the local index and the service writes principals with their kind. Otherwise
    nobody could read the documents, or a name could give access to documents of a principal of another kind."""
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
    why = "which Ibid did not create" if content.known else "whose origin this credential may not see"
    return f"index {content.index}, {why}, is assumed to have"


def whose_vectors(
    content: Shape, fields: tuple[str, ...] | None, model: str | None, embedder: Embedder | None
) -> tuple[str | None, str]:
    """Return the id of the embedder whose vectors are uploaded, or None with the reason.

    `fields` and `model` are the values of RAG_AZURE_VECTOR_FIELDS and RAG_AZURE_EMBEDDER. Raises NotConfigured if one
    index would contain vectors from two models. Equal dimensions do not prove that the models are the same.
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
            f"The embedder of the vectors in index {content.index} is unknown. If it is {embedder.id}, or the index is "
            f"empty, set RAG_AZURE_EMBEDDER={embedder.id}. {WITHOUT}"
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
