"""Upload documents in an order that is safe to interrupt: no row is ever readable by more people than it should be, and
no unfinished upload looks finished.

A row is written with its text and its access list at once, so new text never has an old list. The rows of the previous
version are handled while the new ones arrive:

- The document's row loses the mark of a finished upload first. If there is no such row, one is created that nobody may
  read. The next run therefore starts over, and no block exists without a row that names its document.
- Every existing row is narrowed to those whom both the old and the new list admit. A revoked reader loses all of it
  before anything else happens. A new reader gets none of the old text.
- The new rows are written, rows without a successor are deleted, and the document's row with its mark comes last.

Existing rows are found through the service and through the journal: the service does not find rows that it took a
moment ago, and the journal lacks rows from elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence

import anyio

from corpus.documents.document import Document
from corpus.index.azure.connection import Connection
from corpus.index.azure.fields import ACCESS, BLOCK_KEY, DOCUMENT_KEY, PAGES
from corpus.index.azure.upload.batches import Sender
from corpus.index.azure.upload.new_rows import block_row, document_row, facts_row
from corpus.index.azure.upload.previous_version import Former
from corpus.index.azure.upload.remote_state import Pushed
from corpus.index.azure.upload.second_look import SecondLook
from corpus.index.azure.upload.upload_journal import Sent, nothing_sent
from corpus.index.azure.upload.writable import Writable, writable
from corpus.index.protocol import NewBlock

NO_URLS: Mapping[str, str] = {}
Waiting = Callable[[float], object]
"""Told how many seconds are waited."""


class Uploader:
    """Documents of both indexes of a service. Every method raises Refused for a row that the service would not take,
    AzureSearchError and Timeout where it could not be asked."""

    def __init__(
        self,
        connection: Connection,
        content_index: str,
        documents_index: str,
        sent: Sent | None = None,
        *,
        pause: float = 1.0,
    ) -> None:
        """`sent` is what went there before, by default nothing. `pause` is in seconds, before rows that were refused
        are sent again."""
        self._connection = connection
        self.content_index = self._content = content_index
        self._documents = documents_index
        self._sent = sent or nothing_sent()
        self._send = Sender(connection, pause)
        self._former = Former(connection, self._send, self._sent)
        self._looking = anyio.Lock()
        self._writable: tuple[Writable, Writable] | None = None

    async def begin(
        self, document: Document, pushed: Pushed | None, on_wait: Waiting = lambda seconds: None
    ) -> frozenset[str]:
        """Leave what is there of the document to those whom both its lists admit, and mark it as unfinished. Returns
        the keys of its blocks.

        Where a batch of an upload that was cut short may still arrive, this is done at once and, after that time, once
        more; `on_wait` hears how long that is.
        """
        before = await self.narrow(document, pushed)
        left = self._sent.begins(document.doc_id).arriving_until - time.monotonic()
        if left > 0:
            on_wait(left)
            await anyio.sleep(left)
            before |= await self.narrow(document, pushed)
        return before

    async def narrow(self, document: Document, pushed: Pushed | None) -> frozenset[str]:
        """The same without any waiting."""
        content, documents = await self.looked()
        recent, mark = self._sent.begins(document.doc_id).recent, _unfinished(documents, pushed)
        if not await self._former.narrow_document(documents, document, mark, recent=recent):
            row: dict[str, object] = {
                DOCUMENT_KEY: document.doc_id,
                "filename": document.filename,
                ACCESS: [],
                **mark,
            }
            await self._send.upload(self._documents, DOCUMENT_KEY, [documents.fields(row)])
        return await self._former.narrow_blocks(content, document, recent=recent)

    async def fill(
        self,
        document: Document,
        blocks: Sequence[NewBlock],
        vectors: Mapping[str, Sequence[float]],
        *,
        before: Iterable[str],
        image_urls: Mapping[str, str] = NO_URLS,
        pages: str | None = None,
        pushed: Pushed | None = None,
    ) -> None:
        """Put the document in place of its former self, which was begun with. `before` are the keys of its blocks,
        `vectors` and `image_urls` are by block id; `pages` is the folder of its pages as pictures, `pushed` the mark of
        this state."""
        content, documents = await self.looked()
        rows = [
            content.fields(block_row(block, document, vectors.get(name), image_urls.get(name)))
            for block, name in ((one.block, one.block.block_id) for one in blocks)
        ]
        keys = [row[BLOCK_KEY] for row in rows]
        self._send.check(BLOCK_KEY, rows)
        self._sent.sends(document.doc_id, keys)
        await self._send.upload(self._content, BLOCK_KEY, rows)
        await self._former.remove_blocks(content, document.doc_id, before, kept=keys)
        await self._finish(documents, document, pushed, keys, pages)

    async def replace(
        self,
        document: Document,
        blocks: Sequence[NewBlock],
        vectors: Mapping[str, Sequence[float]],
        *,
        image_urls: Mapping[str, str] = NO_URLS,
        pushed: Pushed | None = None,
    ) -> None:
        """Begin and fill."""
        before = await self.begin(document, pushed)
        await self.fill(document, blocks, vectors, before=before, image_urls=image_urls, pushed=pushed)

    async def update(self, document: Document, block_ids: Sequence[str], pushed: Pushed) -> None:
        """Change who may read a document and what is known of it, where its blocks are there and stay as they are.
        Raises Refused where one of them is missing.

        The blocks are named, not looked for: one that was put in place a second ago cannot be found yet.
        """
        content, documents = await self.looked()
        await self.narrow(document, pushed)
        self._sent.sends(document.doc_id, block_ids)
        facts = content.fields(facts_row(document))
        rows = [{BLOCK_KEY: block_id, **facts} for block_id in block_ids]
        await self._send.merge(self._content, BLOCK_KEY, rows)
        # Merged, so that the folder of its pages stays.
        row = {**document_row(document), "pushed": self._mark(pushed)}
        await self._send.merge(self._documents, DOCUMENT_KEY, [documents.fields(row)])
        self._sent.finished(document.doc_id, block_ids, self._mark(pushed))

    async def remove(self, doc_id: str) -> None:
        """Readable by nobody first, then its blocks go, and its row last: once that is gone, nothing would tell that
        some are left."""
        content, documents = await self.looked()
        self._sent.begins(doc_id)
        nobody = {DOCUMENT_KEY: doc_id, ACCESS: [], **documents.fields({"pushed": None})}
        await self._send.try_merge(self._documents, DOCUMENT_KEY, [nobody])
        await self._former.remove_blocks(content, doc_id, self._sent.block_ids(doc_id))
        await self._send.delete(self._documents, DOCUMENT_KEY, [doc_id])
        self._sent.removed(doc_id)

    async def unfinish(self, marks: Mapping[str, Pushed]) -> None:
        """Take the marks of finished uploads away, for an index of blocks that was made anew."""
        _, documents = await self.looked()
        for doc_id in marks:
            self._sent.begins(doc_id)
        rows = [{DOCUMENT_KEY: doc_id, "pushed": str(mark.unfinished)} for doc_id, mark in marks.items()]
        await self._send.try_merge(self._documents, DOCUMENT_KEY, rows if "pushed" in documents.names else [])

    def final_mark(self, pushed: Pushed) -> Pushed:
        """The mark that a complete upload of this state leaves."""
        return pushed if self._sent.trusted else pushed.unfinished

    async def second_look(self) -> SecondLook | None:
        """None where the index does not show what it would need."""
        content, documents = await self.looked()
        if not content.shows_lists or "pushed" not in documents.names:
            return None
        return SecondLook(self._connection, content, documents, self._send)

    async def looked(self) -> tuple[Writable, Writable]:
        """What both indexes are like, looked at once. Raises NotConfigured for one that lacks what must be there."""
        async with self._looking:
            if self._writable is None:
                self._writable = await writable(self._connection, self._content, self._documents)
        return self._writable

    async def _finish(
        self,
        documents: Writable,
        document: Document,
        pushed: Pushed | None,
        block_ids: Sequence[str],
        pages: str | None = None,
    ) -> None:
        row = {**document_row(document), PAGES: pages, "pushed": self._mark(pushed)}
        whole = {name: value for name, value in row.items() if value is not None}
        await self._send.upload(self._documents, DOCUMENT_KEY, [documents.fields(whole)])
        self._sent.finished(document.doc_id, block_ids, self._mark(pushed))

    def _mark(self, pushed: Pushed | None) -> str | None:
        """The mark to write. Where the record was lost, rows may be there that nothing names, so the upload does not
        count as finished and the next run looks once more."""
        return None if pushed is None else str(self.final_mark(pushed))


def _unfinished(documents: Writable, pushed: Pushed | None) -> Mapping[str, str | None]:
    return documents.fields({"pushed": str(pushed.unfinished) if pushed else None})
