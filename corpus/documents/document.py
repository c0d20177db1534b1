"""A document: one source file and its metadata."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

DocumentStatus = Literal["text", "ready"]
"""Status of a document. `text`: keyword search works, but vectors are pending. `ready`: the index has computed
everything."""

SORTABLE = ("upload_date", "document_date", "title", "filename", "document_type", "page_count")

DOCUMENT_TYPES = (
    "Manual", "Report", "Paper", "Slides", "Spreadsheet", "Web page", "Note", "Mail", "Image", "Code",
    "Document",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """One entry of a table of contents. `level` counts from 1; `page_number` is the 1-based page of the file."""

    title: str
    level: int
    page_number: int | None = None


class LinkedPicture(NamedTuple):
    """A picture file that a document links to: its absolute path, SHA-256, size in bytes, and modification time in
    nanoseconds."""

    path: str
    content_hash: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One source file. Dates are ISO 8601 in UTC: `upload_date` is the time of indexing, `document_date` is the
    document's own date.

    Only ingestion needs the following fields, so an index may leave them out for other callers. `pending` lists the
    positions of pictures that are waiting for OCR; `unread` lists the positions of pictures that were skipped because
    OCR is off; `shown` lists the picture files that the document displays; `withheld` lists the paths of picture files
    that the document's readers may not see.
    """

    doc_id: str
    filename: str
    title: str
    document_type: str = "Document"
    upload_date: str = ""
    document_date: str | None = None
    author: str | None = None
    department: str | None = None
    page_count: int | None = None
    summary_brief: str = ""
    summary_standard: str = ""
    language: str | None = None
    access_control_list: tuple[str, ...] = ()
    source_path: str = ""
    source_size: int = 0
    source_mtime_ns: int = 0
    content_hash: str = ""
    reader_version: str = ""
    status: DocumentStatus = "text"
    warnings: tuple[str, ...] = ()
    outline: tuple[OutlineEntry, ...] = ()
    page_labels: tuple[str, ...] = ()
    """Printed page labels, one for each page of the file. The tuple is empty if they only repeat the page numbers."""

    pending: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    shown: tuple[LinkedPicture, ...] = ()
    withheld: tuple[str, ...] = ()


def nameless(doc_id: str) -> Document:
    """Return a placeholder that has only an id, for a document whose metadata cannot be read although one of its blocks
    can."""
    return Document(doc_id=doc_id, filename="", title="", document_type="", status="ready")
