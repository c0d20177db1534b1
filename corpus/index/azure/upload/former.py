"""A document's former self on the service: which rows are there, and how they are narrowed or go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from corpus.documents.document import Document
from corpus.index.azure.connection import Connection
from corpus.index.azure.fields import ACCESS, BLOCK_KEY, DOCUMENT_KEY
from corpus.index.azure.upload.held import Held, held_blocks, held_document
from corpus.index.azure.upload.narrowing import narrowed
from corpus.index.azure.upload.new_rows import facts_row
from corpus.index.azure.upload.sent import Sent
from corpus.index.azure.upload.writable import Writable
from corpus.index.azure.upload.writing import Sender

NOTHING: Mapping[str, Any] = {}


class Former:
    """What was put there before, by the service and by the record of what was sent. Raises what `Uploader` does."""

    def __init__(self, connection: Connection, sender: Sender, sent: Sent) -> None:
        self._connection, self._send, self._sent = connection, sender, sent

    async def narrow_document(
        self, documents: Writable, document: Document, more: Mapping[str, Any], *, recent: bool
    ) -> bool:
        """The document's row left to those whom both its lists admit, with `more` in it; False where there is none.
        `recent`: the list that the service shows may be an old one, so it is left to nobody."""
        found = await held_document(self._connection, documents, document.doc_id)
        rows = dict.fromkeys(found.rows) if recent else found.rows
        return bool(rows) and not await self._narrow(documents, DOCUMENT_KEY, rows, document, more)

    async def narrow_blocks(self, content: Writable, document: Document, *, recent: bool) -> frozenset[str]:
        """The keys of all blocks, each left to those whom both its lists admit, or gone. `recent` as above."""
        sent = dict.fromkeys(self._sent.block_ids(document.doc_id))
        seen: Held = {}
        held = await held_blocks(self._connection, content, document.doc_id)
        while held.cut and held.rows.keys() - seen.keys():
            # There are more than the service shows at a time, so these make room for the others.
            await self._send.delete(content.index, BLOCK_KEY, sorted(held.rows))
            seen |= held.rows
            held = await held_blocks(self._connection, content, document.doc_id)
        rows = held.rows | sent if recent else sent | held.rows
        await self._narrow(content, BLOCK_KEY, rows, document)
        return frozenset(seen | rows)

    async def remove_blocks(
        self, content: Writable, doc_id: str, known: Iterable[str], *, kept: Iterable[str] = ()
    ) -> None:
        """Every block but those kept. Asked until nothing new comes: rows sent a moment ago are found only after a
        while, and of very many not all at once."""
        removed = set(kept)
        going = set(known) - removed
        while going or (
            going := (await held_blocks(self._connection, content, doc_id)).rows.keys() - removed
        ):
            await self._send.delete(content.index, BLOCK_KEY, sorted(going))
            removed |= going
            going = set()

    async def _narrow(
        self, index: Writable, key: str, rows: Held, document: Document, more: Mapping[str, Any] = NOTHING
    ) -> list[str]:
        """A row that cannot be narrowed goes; the keys of these."""
        merged, readers = [], facts_row(document)[ACCESS]
        for name, old in rows.items():
            kept = narrowed(old, readers)
            if more or kept != old:
                merged.append({key: name, ACCESS: kept, **more})
        refused = await self._send.try_merge(index.index, key, merged)
        await self._send.delete(index.index, key, refused)
        return refused
