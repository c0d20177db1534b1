"""Upload documents in an order that is safe to interrupt: nobody gains access to a row that they may not read, and no
unfinished upload looks finished.

Each row is written together with its access list, so new text never has an old access list. An upload has these steps:

- First, the document's row loses the mark of a finished upload. If there is no such row, one is created that nobody may
read. The next run therefore starts over, and no block exists without a row for its document.
- Access to every existing row is restricted to principals on both the old and the new list. A revoked reader loses
access to all rows before anything else happens. A new reader cannot read old text.
- The new rows are written, rows without a successor are deleted, and the document's row with its mark comes last.

Existing rows are found through both the service and the journal, because the service does not find rows that it
accepted a moment ago, and the journal does not list rows uploaded from elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import anyio

from corpus.documents.block import Block
from corpus.documents.document import Document
from corpus.index.azure.schema.fields import ACCESS, BLOCK_KEY, DOCUMENT_KEY, PAGES
from corpus.index.azure.service.connection import MAX_SKIPPED, Connection
from corpus.index.azure.upload.batches import Sender
from corpus.index.azure.upload.new_rows import Writable, block_row, document_row, facts_row, writable
from corpus.index.azure.upload.previous_version import PreviousVersion, marks_of
from corpus.index.azure.upload.remote_state import UploadMark
from corpus.index.azure.upload.upload_journal import UploadJournal, empty_journal
from corpus.index.azure.view import every_row
from corpus.index.protocol import NewBlock
from corpus.odata import comparison

PATIENCE = 10.0
"""Maximum seconds to wait until searches find new rows, which usually takes one to five."""
PAUSE = 0.5
_SAID = ("content", "image_caption")

Row = Mapping[str, Any]


class SecondLook:
    """Checks uploaded rows as soon as searches find them. Raises the same errors as `Uploader`."""

    def __init__(self, connection: Connection, content: Writable, documents: Writable, send: Sender) -> None:
        self._connection, self._send = connection, send
        self._content, self._documents = content, documents

    async def await_marks(self, final: Mapping[str, UploadMark]) -> dict[str, UploadMark]:
        """Wait until the service shows each document with its `final` mark or a mark of another data folder, and return
        the marks that it shows. Documents that time out are omitted."""
        marks: dict[str, UploadMark] = {}
        until = time.monotonic() + PATIENCE
        while missing := [doc_id for doc_id in final if doc_id not in marks]:
            for doc_id, mark in (await marks_of(self._connection, self._documents, missing)).items():
                if mark and (mark == final[doc_id] or mark.origin != final[doc_id].origin):
                    marks[doc_id] = mark
            if len(marks) == len(final) or time.monotonic() >= until:
                break
            await anyio.sleep(PAUSE)
        return marks

    async def check(self, document: Document, blocks: Sequence[Block], final: UploadMark, mark: UploadMark) -> bool:
        """Return whether every row of the document is as this run left it. If not, close access to the other rows and
        mark the document as unfinished."""
        wanted = {block.block_id: block for block in blocks}
        readers = sorted(facts_row(document)[ACCESS])
        wrong = [
            row[BLOCK_KEY]
            for row in await self._rows(document.doc_id)
            if not self._is_ours(row, wanted, document, readers)
        ]
        if mark == final and not wrong:
            return True
        await self._send.try_merge(self._content.index, BLOCK_KEY, [{BLOCK_KEY: key, ACCESS: []} for key in wrong])
        unfinished = {DOCUMENT_KEY: document.doc_id, "pushed": str(mark.unfinished)}
        await self._send.try_merge(self._documents.index, DOCUMENT_KEY, [unfinished])
        return False

    async def _rows(self, doc_id: str) -> Sequence[dict[str, Any]]:
        names = [BLOCK_KEY, ACCESS, *(name for name in _SAID if name in self._content.names)]
        where = comparison(DOCUMENT_KEY, "eq", doc_id)
        ask = partial(self._connection.search, self._content.index, filter=where, select=names)
        return (await every_row(ask, BLOCK_KEY, MAX_SKIPPED, self._content.shape)).rows

    def _is_ours(self, row: Row, wanted: Mapping[str, Block], document: Document, readers: Sequence[str]) -> bool:
        """Return whether a row has the text and access list that this run wrote."""
        block = wanted.get(row[BLOCK_KEY])
        if block is None or sorted(row.get(ACCESS) or ()) != readers:
            return False
        sent = block_row(block, document, None, None)
        return all((row.get(name) or "") == (sent.get(name) or "") for name in _SAID if name in row)


NO_URLS: Mapping[str, str] = {}
Waiting = Callable[[float], object]
"""Callback that receives the number of seconds for which an upload waits."""


class Uploader:
    """Uploads documents to both indexes of a service. Every method raises Refused if the service refuses a row, and
    AzureSearchError or Timeout if a request fails."""

    def __init__(
        self,
        connection: Connection,
        content_index: str,
        documents_index: str,
        sent: UploadJournal | None = None,
        *,
        pause: float = 1.0,
    ) -> None:
        """Initialise the uploader. `sent` is the journal, by default an empty one. `pause` is the number of seconds
        before refused rows are sent again."""
        self._connection = connection
        self.content_index = self._content = content_index
        self._documents = documents_index
        self._sent = sent or empty_journal()
        self._send = Sender(connection, pause)
        self._former = PreviousVersion(connection, self._send, self._sent)
        self._looking = anyio.Lock()
        self._writable: tuple[Writable, Writable] | None = None

    async def begin(
        self, document: Document, pushed: UploadMark | None, on_wait: Waiting = lambda seconds: None
    ) -> frozenset[str]:
        """Restrict the previous version to principals on both access lists, and mark it as unfinished. Return the keys
        of its blocks.

        If the service may still be processing rows of an interrupted upload, access is restricted immediately, and
        again after waiting for these rows. `on_wait` receives the number of seconds to wait.
        """
        before = await self.narrow(document, pushed)
        left = self._sent.begins(document.doc_id).arriving_until - time.monotonic()
        if left > 0:
            on_wait(left)
            await anyio.sleep(left)
            before |= await self.narrow(document, pushed)
        return before

    async def narrow(self, document: Document, pushed: UploadMark | None) -> frozenset[str]:
        """Do the same as `begin`, but without waiting."""
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
        pushed: UploadMark | None = None,
    ) -> None:
        """Replace the previous version, after `begin`. `before` contains the keys of its blocks; `vectors` and
        `image_urls` are keyed by block id; `pages` is the folder of the page pictures; `pushed` is the mark of this
        version."""
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
        pushed: UploadMark | None = None,
    ) -> None:
        """Replace a document by calling `begin`, then `fill`."""
        before = await self.begin(document, pushed)
        await self.fill(document, blocks, vectors, before=before, image_urls=image_urls, pushed=pushed)

    async def update(self, document: Document, block_ids: Sequence[str], pushed: UploadMark) -> None:
        """Change the access list and facts of a document with unchanged blocks. Raises Refused if a block is missing.

        The caller passes the block ids, because a search may not find recent blocks yet.
        """
        content, documents = await self.looked()
        await self.narrow(document, pushed)
        self._sent.sends(document.doc_id, block_ids)
        facts = content.fields(facts_row(document))
        rows = [{BLOCK_KEY: block_id, **facts} for block_id in block_ids]
        await self._send.merge(self._content, BLOCK_KEY, rows)
        # A merge preserves the field with the folder of the page pictures.
        row = {**document_row(document), "pushed": self._mark(pushed)}
        await self._send.merge(self._documents, DOCUMENT_KEY, [documents.fields(row)])
        self._sent.finished(document.doc_id, block_ids, self._mark(pushed))

    async def remove(self, doc_id: str) -> None:
        """Close access to the document, then delete its blocks, and finally delete its row. If the row were deleted
        first, remaining blocks would go unnoticed."""
        content, documents = await self.looked()
        self._sent.begins(doc_id)
        nobody = {DOCUMENT_KEY: doc_id, ACCESS: [], **documents.fields({"pushed": None})}
        await self._send.try_merge(self._documents, DOCUMENT_KEY, [nobody])
        await self._former.remove_blocks(content, doc_id, self._sent.block_ids(doc_id))
        await self._send.delete(self._documents, DOCUMENT_KEY, [doc_id])
        self._sent.removed(doc_id)

    async def unfinish(self, marks: Mapping[str, UploadMark]) -> None:
        """Mark documents as unfinished, for a newly created content index."""
        _, documents = await self.looked()
        for doc_id in marks:
            self._sent.begins(doc_id)
        rows = [{DOCUMENT_KEY: doc_id, "pushed": str(mark.unfinished)} for doc_id, mark in marks.items()]
        await self._send.try_merge(self._documents, DOCUMENT_KEY, rows if "pushed" in documents.names else [])

    def final_mark(self, pushed: UploadMark) -> UploadMark:
        """Return the mark for a complete upload, which is an unfinished mark if the journal is not trusted."""
        return pushed if self._sent.trusted else pushed.unfinished

    async def second_look(self) -> SecondLook | None:
        """Return a `SecondLook` for this run's rows, or None if the index does not show access lists and marks."""
        content, documents = await self.looked()
        if not content.shows_lists or "pushed" not in documents.names:
            return None
        return SecondLook(self._connection, content, documents, self._send)

    async def looked(self) -> tuple[Writable, Writable]:
        """Return the writable fields of both indexes, which are read only once. Raises NotConfigured if a required
        field is missing."""
        async with self._looking:
            if self._writable is None:
                self._writable = await writable(self._connection, self._content, self._documents)
        return self._writable

    async def _finish(
        self,
        documents: Writable,
        document: Document,
        pushed: UploadMark | None,
        block_ids: Sequence[str],
        pages: str | None = None,
    ) -> None:
        row = {**document_row(document), PAGES: pages, "pushed": self._mark(pushed)}
        whole = {name: value for name, value in row.items() if value is not None}
        await self._send.upload(self._documents, DOCUMENT_KEY, [documents.fields(whole)])
        self._sent.finished(document.doc_id, block_ids, self._mark(pushed))

    def _mark(self, pushed: UploadMark | None) -> str | None:
        """Return `final_mark` as a string. If a journal was lost, there may be unknown rows, so the next run checks
        again."""
        return None if pushed is None else str(self.final_mark(pushed))


def _unfinished(documents: Writable, pushed: UploadMark | None) -> Mapping[str, str | None]:
    return documents.fields({"pushed": str(pushed.unfinished) if pushed else None})
