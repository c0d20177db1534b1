"""Documents on their way into the service, in an order in which an interruption leaves nothing readable by more people
than it should be, and nothing that looks finished.

A row is put in place with its text and its access list at once, so new text is never under an old list. What is left
to think of are the rows of a document's former self, while the new ones come:

- The document's row loses the mark of a finished upload first: whoever comes next begins again.
- Then every row that is there is narrowed to those whom both the old and the new list admit. A revoked reader loses
  all of it before anything else happens; a new reader gets none of the old text, which was never meant for them.
- Then the new rows come, then those go that have no successor, and the document's row with its mark comes last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import anyio

from corpus.documents import Document
from corpus.index.azure.connection import Connection
from corpus.index.azure.fields import ACCESS, BLOCK_KEY, DOCUMENT_KEY
from corpus.index.azure.upload.held import Held, held_blocks, held_document
from corpus.index.azure.upload.narrowing import narrowed
from corpus.index.azure.upload.new_rows import block_row, document_row, facts_row
from corpus.index.azure.upload.pushed import Pushed
from corpus.index.azure.upload.writable import Writable, writable
from corpus.index.azure.upload.writing import Sender
from corpus.index.promise import NewBlock

NO_URLS: Mapping[str, str] = {}


class Uploader:
    """Documents of both indexes of a service. Every method raises Refused for a row that the service would not take,
    AzureSearchError and Timeout where it could not be asked."""

    def __init__(
        self, connection: Connection, content_index: str, documents_index: str, *, pause: float = 1.0
    ) -> None:
        """`pause` is in seconds, before rows that were refused are sent again."""
        self._connection = connection
        self._content, self._documents = content_index, documents_index
        self._send = Sender(connection, pause)
        self._looking = anyio.Lock()
        self._writable: tuple[Writable, Writable] | None = None

    async def replace(
        self,
        document: Document,
        blocks: Sequence[NewBlock],
        vectors: Mapping[str, Sequence[float]],
        *,
        image_urls: Mapping[str, str] = NO_URLS,
        pushed: Pushed | None = None,
    ) -> None:
        """Put the document in place of its former self. `vectors` and `image_urls` are by block id; `pushed` is the
        mark of this state."""
        content, documents = await self.looked()
        before = await self.narrow(document, pushed)
        rows = [
            content.fields(block_row(block, document, vectors.get(name), image_urls.get(name)))
            for block, name in ((one.block, one.block.block_id) for one in blocks)
        ]
        await self._send.upload(self._content, BLOCK_KEY, rows)
        # Looked at again: rows of an upload that was cut short a moment ago can be found only after a while.
        there = {**before, **await held_blocks(self._connection, content, document.doc_id)}
        gone = there.keys() - {row[BLOCK_KEY] for row in rows}
        await self._send.delete(self._content, BLOCK_KEY, sorted(gone))
        await self._finish(documents, document, pushed)

    async def update(self, document: Document, block_ids: Sequence[str], pushed: Pushed) -> None:
        """Change who may read a document and what is known of it, where its blocks are there and stay as they are.
        Raises Refused where one of them is missing.

        The blocks are named, not looked for: one that was put in place a second ago cannot be found yet.
        """
        content, documents = await self.looked()
        held = await held_document(self._connection, documents, document.doc_id)
        await self._unfinished(documents, document, held, pushed)
        facts = content.fields(facts_row(document))
        rows = [{BLOCK_KEY: block_id, **facts} for block_id in block_ids]
        await self._send.merge(self._content, BLOCK_KEY, rows)
        await self._finish(documents, document, pushed)

    async def narrow(self, document: Document, pushed: Pushed | None) -> Held:
        """What is there of the document, left to those whom both its lists admit, and marked as unfinished."""
        content, documents = await self.looked()
        held = await held_document(self._connection, documents, document.doc_id)
        await self._unfinished(documents, document, held, pushed)
        blocks = await held_blocks(self._connection, content, document.doc_id)
        await self._narrow(self._content, BLOCK_KEY, blocks, document)
        return blocks

    async def remove(self, doc_id: str) -> None:
        """Its blocks first: once the document's row is gone, nothing would tell that some are left."""
        content, _ = await self.looked()
        removed: set[str] = set()
        while left := (await held_blocks(self._connection, content, doc_id)).keys() - removed:
            await self._send.delete(self._content, BLOCK_KEY, sorted(left))
            removed |= left
        await self._send.delete(self._documents, DOCUMENT_KEY, [doc_id])

    async def looked(self) -> tuple[Writable, Writable]:
        """What both indexes are like, looked at once. Raises NotConfigured for one that lacks what must be there."""
        async with self._looking:
            if self._writable is None:
                self._writable = await writable(self._connection, self._content, self._documents)
        return self._writable

    async def _unfinished(
        self, documents: Writable, document: Document, held: Held, pushed: Pushed | None
    ) -> None:
        mark = documents.fields({"pushed": str(pushed.unfinished) if pushed else None})
        await self._narrow(self._documents, DOCUMENT_KEY, held, document, mark)

    async def _narrow(
        self, index: str, key: str, held: Held, document: Document, more: Mapping[str, Any] = NO_URLS
    ) -> None:
        """A row that cannot be narrowed goes."""
        rows, readers = [], facts_row(document)[ACCESS]
        for name, old in held.items():
            kept = narrowed(old, readers)
            if more or kept != old:
                rows.append({key: name, ACCESS: kept, **more})
        await self._send.delete(index, key, await self._send.try_merge(index, key, rows))

    async def _finish(self, documents: Writable, document: Document, pushed: Pushed | None) -> None:
        row = {**document_row(document), "pushed": str(pushed) if pushed else None}
        whole = {name: value for name, value in row.items() if value is not None}
        await self._send.upload(self._documents, DOCUMENT_KEY, [documents.fields(whole)])
