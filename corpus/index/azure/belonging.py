"""Whether the two indexes hold the same documents, told from a sample of blocks."""

from __future__ import annotations

from corpus.diagnostics import Finding
from corpus.index.azure.conditions import on_ids
from corpus.index.azure.connection import MOST_ROWS, Connection
from corpus.index.azure.fields import DOCUMENT_KEY

MANY = 0.1
"""The share of documents without a row from which it is no upload that goes on; in one, the row comes last."""


async def documents_of_blocks(connection: Connection, content: str, documents: str) -> Finding:
    """Whether the documents of some blocks are among the documents. Raises AzureSearchError."""
    blocks = await connection.search(content, top=MOST_ROWS, filter=None, select=[DOCUMENT_KEY])
    ids = {row[DOCUMENT_KEY] for row in blocks.rows if isinstance(row.get(DOCUMENT_KEY), str)}
    if not ids:
        return Finding("note", "documents", f"{content} shows no block whose document could be looked for")
    wanted = on_ids(DOCUMENT_KEY, ids)
    answer = await connection.search(documents, top=len(ids), filter=wanted, select=[DOCUMENT_KEY])
    missing = len(ids - {row.get(DOCUMENT_KEY) for row in answer.rows})
    looked = f"of {len(ids)} documents that have blocks in {content}, {missing} have no row in {documents}"
    if missing < MANY * len(ids) or not missing:
        return Finding("ok", "documents", looked)
    return Finding(
        "warning", "documents", f"{looked}: they are found, and neither listed nor opened.",
        "Check AZURE_SEARCH_CONTENT_INDEX and AZURE_SEARCH_DOCUMENTS_INDEX: the two may be of different uploads.",
    )  # fmt: skip
