"""The local index uploaded: which documents go, which are there already, and what hinders the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio

from corpus.access import PUBLIC, Caller
from corpus.documents import Document
from corpus.errors import AzureSearchError, DocumentNotFound, Timeout
from corpus.index.azure.failures import status_of
from corpus.index.azure.origin import UNKNOWN
from corpus.index.azure.push_outcomes import PushKind, PushOutcome, PushProgress, PushReport
from corpus.index.azure.pushed import Pushed, pushed_state
from corpus.index.azure.uploading import Uploader
from corpus.index.azure.writing import Refused
from corpus.index.promise import NewBlock

if TYPE_CHECKING:
    from corpus.index.azure.blobs import Blobs
    from corpus.index.local import LocalIndex
    from corpus.index.local.whole import WholeDocument

AT_ONCE = 4
"""Documents under way at the same time."""
FAILURES_IN_A_ROW = 3
"""Of the service itself; after so many it is not worth going on."""

EVERYBODY = "everybody may read it (*); --public uploads it all the same"
FOREIGN = "the one there is of another data folder or another program; --take-over replaces it"
GONE = "no longer in the local index; --prune removes it there too"
_KEEPER = Caller(unfiltered=True)


@dataclass(frozen=True, slots=True)
class PushWishes:
    public: bool = False
    dry_run: bool = False
    prune: bool = False
    take_over: bool = False


class Push:
    """One run. `marks` tells of every document that is there already; `embedder` and `blobs` are None where vectors or
    pictures are left out."""

    def __init__(
        self,
        local: LocalIndex,
        uploader: Uploader,
        marks: Mapping[str, Pushed | None],
        *,
        origin: str,
        embedder: str | None,
        blobs: Blobs | None,
        wishes: PushWishes,
        progress: PushProgress,
    ) -> None:
        self._local, self._uploader, self._marks = local, uploader, marks
        self._origin, self._embedder, self._blobs = origin, embedder, blobs
        self._wishes, self._progress = wishes, progress
        self._outcomes: list[PushOutcome] = []
        self._without_picture = 0
        self._failed_in_a_row = 0

    async def run(self, documents: Sequence[Document], known: Sequence[Document] = ()) -> PushReport:
        """`known` is every document of the local index, where what is missing among them is to be named.

        Raises AzureSearchError and Timeout where going on makes no sense.
        """
        self._progress.documents_found(len(documents))
        limit = anyio.CapacityLimiter(AT_ONCE)
        async with anyio.create_task_group() as tasks:
            for document in documents:
                await limit.acquire_on_behalf_of(document.doc_id)
                tasks.start_soon(self._go, document, limit)
        if known:
            await self._name_gone({one.doc_id for one in known})
        return PushReport(tuple(self._outcomes), self._without_picture)

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
        wanted = await self._state(document)
        before = self._marks.get(document.doc_id)
        # What the mark tells of vectors and pictures that are not wanted this time does not count.
        same = before is not None and before.same_blocks(wanted)
        if before and same and before.facts == wanted.facts:
            return _outcome("unchanged", document)
        if hindrance := self._hindrance(document, before, same=same):
            return hindrance
        if self._wishes.dry_run:
            return _outcome("updated" if same else "pushed", document)
        whole = await self._local.whole(document.doc_id)
        # Somebody may have changed it since the list was made, and who may read it decides.
        document, wanted = whole.document, await self._state(whole.document)
        if hindrance := self._hindrance(document, before, same=same):
            return hindrance
        if before and before.same_blocks(wanted) and await self._updated(whole, wanted.keeping(before)):
            return _outcome("updated", document)
        await self._replace(whole, wanted)
        return _outcome("pushed", document)

    def _hindrance(self, document: Document, before: Pushed | None, *, same: bool) -> PushOutcome | None:
        if PUBLIC in document.access_control_list and not self._wishes.public:
            return _outcome("refused", document, EVERYBODY)
        foreign = document.doc_id in self._marks and (before is None or before.origin != self._origin)
        if foreign and not self._wishes.take_over:
            return _outcome("refused", document, FOREIGN)
        if self._embedder and not same and document.status == "text":
            return _outcome(
                "waiting", document, "its vectors are still to come: run `ibid ingest`, or use --no-vectors"
            )
        return None

    async def _state(self, document: Document) -> Pushed:
        with_pictures = self._blobs and await self._local.figures(document.doc_id, _KEEPER)
        pictures = self._blobs.name if self._blobs and with_pictures else None
        return pushed_state(document, self._origin, embedder=self._embedder, pictures=pictures)

    async def _updated(self, whole: WholeDocument, wanted: Pushed) -> bool:
        """False where blocks are missing that the mark promised."""
        try:
            await self._uploader.update(whole.document, [one.block_id for one in whole.blocks], wanted)
        except Refused:
            return False
        return True

    async def _replace(self, whole: WholeDocument, wanted: Pushed) -> None:
        images = [one.block_id for one in whole.blocks if one.block_type == "image"]
        urls: dict[str, str] = {}
        if self._blobs is None:
            self._without_picture += len(images)
        else:
            for block_id in images:
                urls[block_id] = await self._blobs.put(await self._local.picture(block_id, _KEEPER))
        vectors = whole.vectors if self._embedder else {}
        blocks = [NewBlock(block) for block in whole.blocks]
        await self._uploader.replace(whole.document, blocks, vectors, image_urls=urls, pushed=wanted)

    async def _name_gone(self, known: set[str]) -> None:
        """Only what this local index put there: the service may hold others' documents too."""
        if self._origin == UNKNOWN:
            return
        for doc_id, mark in self._marks.items():
            if mark is None or mark.origin != self._origin or doc_id in known:
                continue
            remove = self._wishes.prune and not self._wishes.dry_run
            if remove:
                await self._uploader.remove(doc_id)
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
