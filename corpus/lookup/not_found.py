""" "Not found" errors. Every index uses the same wording, also for documents that the caller may not read."""

from __future__ import annotations

from corpus.documents.document import Document
from corpus.errors import DocumentNotFound, InvalidRequest
from corpus.filters import VALUE_FIELDS


def no_document(doc_id: str, hints: tuple[str, ...] = ()) -> DocumentNotFound:
    """Return the error that there is no document with this id."""
    return DocumentNotFound(
        f'No document "{doc_id[:100]}" among those you may read. Call rag_list_documents to see their ids.',
        hints=hints,
    )


def no_name(name: str, hints: tuple[str, ...] = ()) -> DocumentNotFound:
    """Return the error that there is no document with this name."""
    return DocumentNotFound(
        f"No document named {name[:80]!r} among those you may read. Call rag_list_documents to see their names.",
        hints=hints,
    )


def no_picture(block_id: str) -> DocumentNotFound:
    """Return the error that there is no picture of this block."""
    return DocumentNotFound(f'No picture of a block "{block_id[:100]}" among those you may read.')


def no_block(block_id: str) -> DocumentNotFound:
    """Return the error that there is no block with this id."""
    return DocumentNotFound(
        f'No block "{block_id[:100]}" among those you may read. Take block_ids from rag_semantic_search.'
    )


def no_page(document: Document, page_number: int) -> InvalidRequest:
    """Return the error that the document does not have this page."""
    pages = f"{document.page_count} pages" if document.page_count else "no pages"
    return InvalidRequest(f"{document.filename} has {pages}; page {page_number} is not among them.")


def no_values_of(field: str) -> InvalidRequest:
    """Return the error that the field has no list of values."""
    return InvalidRequest(f"There are lists of values for {', '.join(VALUE_FIELDS)}, not for {field[:60]!r}.")


def no_order(sort_by: str, orders: tuple[str, ...]) -> InvalidRequest:
    """Return the error that documents cannot be sorted by this field."""
    return InvalidRequest(f"Documents are sorted by {', '.join(orders)}, not by {sort_by[:60]!r}.")


def foreign_cursor(sort_by: str) -> InvalidRequest:
    """Return the error that the cursor belongs to another list."""
    return InvalidRequest(
        f"This cursor is not of this list sorted by {sort_by}. Pass the cursor of the previous answer, with "
        "the same sort_by, query and filters, or omit it to start over."
    )
