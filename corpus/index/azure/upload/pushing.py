"""The local index uploaded: which documents go, which are there already, and what hinders the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import anyio

from corpus.access import PUBLIC
from corpus.documents import Document
from corpus.errors import AzureSearchError, DocumentNotFound, Timeout
from corpus.index.azure.failures import status_of
from corpus.index.azure.upload.carrying import Carrier
from corpus.index.azure.upload.outcomes import PushKind, PushOutcome, PushProgress, PushReport
from corpus.index.azure.upload.standing import Standing
from corpus.index.azure.upload.writing import Refused

AT_ONCE = 4
"""Documents under way at the same time."""
FAILURES_IN_A_ROW = 3
"""Of the service itself; after so many it is not worth going on."""

EVERYBODY = "everybody may read it (*); --public uploads it all the same"
FOREIGN = "the one there is of another data folder or another program; --take-over replaces it"
GONE = "no longer in the local index; --prune removes it there too"
WAITING = "its vectors are still to come: run `ibid ingest`, or use --no-vectors"


@dataclass(frozen=True, slots=True)
class PushWishes:
    public: bool = False
    dry_run: bool = False
    prune: bool = False
    take_over: bool = False


class Push:
    """One run. `standing` tells what is there already."""

    def __init__(
        self,
        carrier: Carrier,
        standing: Standing,
        *,
        wishes: PushWishes,
        progress: PushProgress,
    ) -> None:
        self._carrier, self._standing = carrier, standing
        self._wishes, self._progress = wishes, progress
        self._outcomes: list[PushOutcome] = []
        self._failed_in_a_row = 0

    async def run(self, documents: Sequence[Document], known: Sequence[Document] | None = None) -> PushReport:
        """`known` is every document of the local index, where what is missing among them is to be named.

        Raises AzureSearchError and Timeout where going on makes no sense.
        """
        self._progress.documents_found(len(documents))
        limit = anyio.CapacityLimiter(AT_ONCE)
        async with anyio.create_task_group() as tasks:
            for document in documents:
                await limit.acquire_on_behalf_of(document.doc_id)
                tasks.start_soon(self._go, document, limit)
        if known is not None:
            await self._name_gone({one.doc_id for one in known})
        return PushReport(tuple(self._outcomes), self._carrier.without_picture)

    async def _go(self, document: Document, limit: anyio.CapacityLimiter) -> None:
        try:
            outcome = await self._one(document)
            self._failed_in_a_row = 0
        except Refused as error:
            outcome = _outcome("failed", document, str(error))
        except (AzureSearchError, Timeout) as error:
            self._failed_in_a_row += 1
            if not _is_of_the_moment(error) or self._failed_in_a_row >= FAILURES_IN_A_ROW:
                raise
            outcome = _outcome("failed", document, str(error))
        except DocumentNotFound:
            outcome = _outcome("failed", document, "it was removed from the local index meanwhile")
        finally:
            limit.release_on_behalf_of(document.doc_id)
        self._done(outcome)

    async def _one(self, document: Document) -> PushOutcome:
        wanted, before = await self._carrier.state(document), self._standing.of(document.doc_id)
        # What the mark tells of vectors and pictures that are not wanted this time does not count.
        same = before is not None and before.same_blocks(wanted)
        taking_over = self._wishes.take_over and self._standing.is_foreign(document.doc_id)
        if before and same and before.facts == wanted.facts and not taking_over:
            return _outcome("unchanged", document)
        hindrance = self._hindrance(document, same=same)
        if hindrance is None and not self._wishes.dry_run:
            # Somebody may have changed it since the list was made, and who may read it decides.
            whole = await self._carrier.whole(document.doc_id)
            document = whole.document
            hindrance = self._hindrance(document, same=same)
        if hindrance and hindrance.kind == "waiting" and not self._wishes.dry_run:
            # Who may no longer read it must not wait for vectors.
            await self._carrier.narrow(document)
        if hindrance:
            return hindrance
        if self._wishes.dry_run:
            return _outcome("updated" if same else "pushed", document)
        return _outcome(await self._carrier.carry(whole, before), document)

    def _hindrance(self, document: Document, *, same: bool) -> PushOutcome | None:
        if PUBLIC in document.access_control_list and not self._wishes.public:
            return _outcome("refused", document, EVERYBODY)
        if self._standing.is_foreign(document.doc_id) and not self._wishes.take_over:
            return _outcome("refused", document, FOREIGN)
        if self._carrier.embedder and not same and document.status == "text":
            return _outcome("waiting", document, WAITING)
        return None

    async def _name_gone(self, known: set[str]) -> None:
        """Only what this local index put there: the service may hold others' documents too."""
        for doc_id in self._standing.gone(known):
            remove = self._wishes.prune and not self._wishes.dry_run
            if remove:
                await self._carrier.remove(doc_id)
            self._done(PushOutcome("removed" if remove else "gone", doc_id, doc_id, "" if remove else GONE))

    def _done(self, outcome: PushOutcome) -> None:
        self._outcomes.append(outcome)
        self._progress.document_done(outcome)


def _outcome(kind: PushKind, document: Document, detail: str = "") -> PushOutcome:
    return PushOutcome(kind, document.doc_id, document.filename, detail)


def _is_of_the_moment(error: AzureSearchError | Timeout) -> bool:
    """Whether another document may fare better: not where the way there or the credential is at fault."""
    status = status_of(error)
    return isinstance(error, Timeout) or status in (400, 408, 409, 413, 429) or (status or 0) >= 500
