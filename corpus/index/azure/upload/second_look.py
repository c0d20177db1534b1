"""A second look at the uploaded rows, for two folders that push documents of the same ids at the same time.

Neither run can find rows that the other sent a moment ago, so each may have put its access list on rows of the other.
At the end of a run the rows can be found. Every row that differs from what this run left is closed to everybody, and
the document counts as unfinished, so that the next push of either folder repairs it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import anyio

from corpus.documents.block import Block
from corpus.documents.document import Document
from corpus.index.azure.paging import every_row
from corpus.index.azure.schema.fields import ACCESS, BLOCK_KEY, DOCUMENT_KEY
from corpus.index.azure.service.connection import MAX_SKIPPED, Connection
from corpus.index.azure.upload.batches import Sender
from corpus.index.azure.upload.new_rows import block_row, facts_row
from corpus.index.azure.upload.previous_version import marks_of
from corpus.index.azure.upload.remote_state import UploadMark
from corpus.index.azure.upload.writable import Writable
from corpus.odata import comparison

PATIENCE = 10.0
"""Seconds to wait until the service finds rows; it usually takes one to five."""
PAUSE = 0.5
_SAID = ("content", "image_caption")

Row = Mapping[str, Any]


class SecondLook:
    """Checks uploaded rows once the service finds them. Raises what `Uploader` does."""

    def __init__(self, connection: Connection, content: Writable, documents: Writable, send: Sender) -> None:
        self._connection, self._send = connection, send
        self._content, self._documents = content, documents

    async def await_marks(self, final: Mapping[str, UploadMark]) -> dict[str, UploadMark]:
        """Wait until the service shows each document with its `final` mark or another folder's, and return the marks.
        Documents that time out are left out."""
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
        """Whether every row of the document is as this run left it. Other rows are closed to everybody, and the
        document is marked as unfinished."""
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
        """Whether a row has the text and access list that this run wrote."""
        block = wanted.get(row[BLOCK_KEY])
        if block is None or sorted(row.get(ACCESS) or ()) != readers:
            return False
        sent = block_row(block, document, None, None)
        return all((row.get(name) or "") == (sent.get(name) or "") for name in _SAID if name in row)
