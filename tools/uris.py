"""Resource URIs of documents, pages and blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpus.documents.block import Block


def document_uri(doc_id: str) -> str:
    """Return the URI of a document."""
    return f"rag://documents/{doc_id}"


def page_uri(doc_id: str, page_number: int | str | None) -> str:
    """Return the URI of a page, or of the document if it has no pages."""
    return document_uri(doc_id) if page_number is None else f"{document_uri(doc_id)}/pages/{page_number}"


def block_uri(block: Block) -> str:
    """Return the URI of the page that contains the block."""
    return page_uri(block.doc_id, block.page_number)
