"""Push the local index: decide for each document whether to upload, update, skip or refuse it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from corpus.access import PUBLIC
from corpus.documents.document import Document
from corpus.errors import AzureSearchError, DocumentNotFound, Timeout
from corpus.index.azure.service.failures import status_of
from corpus.index.azure.upload.batches import Refused
from corpus.index.azure.upload.document_upload import DocumentUpload
from corpus.index.azure.upload.outcomes import PushKind, PushOutcome, PushProgress, PushReport
from corpus.index.azure.upload.remote_state import RemoteState, UploadMark
from corpus.processes.gather import gather

Do = Callable[[Document], Awaitable[PushOutcome | None]]

AT_ONCE = 4
"""Maximum number of concurrent documents."""
FAILURES_IN_A_ROW = 3
"""Number of consecutive service failures after which the run ends."""

EVERYBODY = "everybody may read it (*); --public uploads it all the same"
FOREIGN = "the one there is of another data folder or another program; --take-over replaces it"
DISTURBED = (
    "another folder pushed a document of this id at the same time; what did not fit together is closed to everybody: "
    "push again from one of the two, with --take-over"
)
GONE = "no longer in the local index; --prune removes it there too"
WAITING = "its vectors are still to come: run `ibid ingest`, or use --no-vectors"


@dataclass(frozen=True, slots=True)
class PushOptions:
    """Options of `ibid azure push`: upload public documents, dry run, remove gone documents, replace foreign ones."""

    public: bool = False
    dry_run: bool = False
    prune: bool = False
    take_over: bool = False


class Push:
    """One run. `standing` is the state of the service before the run."""

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
        """Push documents. With `known`, every document of the local index, also report or remove those that are gone.

        Revocations take effect before the first upload, which may take long or fail. Raises AzureSearchError and
        Timeout if further documents would fail too.
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
        """Process documents concurrently, and report the outcome of each."""

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
        """Return whether access list or facts may have changed since the upload."""
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
        """Return the outcome that prevents an upload of the document, if any. `waiting` counts passages without a
        vector."""
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
        """Report or remove gone documents, only of this local index: the service may hold others too."""
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
    """Return whether another document may succeed: True unless the connection or the credential is at fault."""
    status = status_of(error)
    return isinstance(error, Timeout) or status in (400, 408, 409, 413, 429) or (status or 0) >= 500
