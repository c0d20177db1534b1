"""The documents of hits: from the blocks' own rows where these name them, else from one look into the other index.

Each search looks anew, under the caller's rights of that moment. What a search before it showed is no proof that it may
still be shown.
"""

from __future__ import annotations

from collections.abc import Sequence

from corpus.documents.document import Document, nameless
from corpus.index.azure.conditions import on_ids
from corpus.index.azure.fields import ACCESS, BLOCK_DOCUMENT_FIELDS, DOCUMENT_KEY
from corpus.index.azure.rows import Row, document_of, names_its_document
from corpus.index.azure.view import View

_SHOWN = (DOCUMENT_KEY, *BLOCK_DOCUMENT_FIELDS, ACCESS)
"""The same facts as blocks can carry; summaries are longer than all of these."""


async def documents_of(view: View, rows: Sequence[Row]) -> dict[str, Document]:
    """A document for each row by id; one that may not be read is nothing but its id."""
    telling = {row["doc_id"]: row for row in rows if names_its_document(row)}
    found = {doc_id: document_of(row) for doc_id, row in telling.items()}
    missing = list(dict.fromkeys(row["doc_id"] for row in rows if row["doc_id"] not in found))
    if missing:
        answer = await view.documents([on_ids(DOCUMENT_KEY, missing)], top=len(missing), fields=_SHOWN)
        found |= {row["doc_id"]: document_of(row) for row in answer.rows}
    return {doc_id: nameless(doc_id) for doc_id in missing} | found
