"""Field names of both indexes: those that every index has by design, and those that Ibid adds to its own.

Fields that are not required may be missing. They are then not selected, and features that need them are skipped or
refused with the reason.
"""

from __future__ import annotations

BLOCK_KEY, DOCUMENT_KEY = "block_id", "doc_id"
ACCESS = "access_control_list"

CONTENT_VECTOR, CAPTION_VECTOR = "content_vector", "image_caption_vector"
VECTORS = (CONTENT_VECTOR, CAPTION_VECTOR)

BLOCK_FIELDS = (
    "block_id", "doc_id", "block_type", "content", "image_url", "image_caption", "page_number",
    "access_control_list",
)  # fmt: skip
"""Beside the two vectors, what the design lists for a content block."""

BLOCK_PLACE_FIELDS = (
    "page_label", "chunk_number", "heading", "bbox", "start_line", "end_line", "char_start", "char_end",
    "language",
)  # fmt: skip
"""Where exactly a block is; each may be missing."""

BLOCK_DOCUMENT_FIELDS = ("filename", "title", "document_type", "department", "author", "upload_date")
"""Facts of the document, repeated on its blocks; with these there, a search needs no look at the other index."""

DOCUMENT_FIELDS = (
    "doc_id", "filename", "title", "document_type", "upload_date", "author", "department", "page_count",
    "summary_brief", "summary_standard", "access_control_list",
)  # fmt: skip

PAGES = "page_pictures"
"""The folder of a document's pages in the private container, where `ibid azure push --pages` uploaded them."""

DOCUMENT_MORE_FIELDS = ("document_date", "language", "warnings", "outline", "page_labels", PAGES, "pushed")
"""`outline` is JSON; `pushed` is the mark of a complete upload by `ibid azure push`."""

ALL_OF_BLOCKS = (*BLOCK_FIELDS, *BLOCK_PLACE_FIELDS, *BLOCK_DOCUMENT_FIELDS)
"""Without the vectors, which nobody reads back."""
ALL_OF_DOCUMENTS = (*DOCUMENT_FIELDS, *DOCUMENT_MORE_FIELDS)

REQUIRED_OF_BLOCKS = ("block_id", "doc_id", "block_type", "content", "access_control_list")
REQUIRED_OF_DOCUMENTS = ("doc_id", "filename", "access_control_list")

FILTERED_OF_BLOCKS = ("block_id", "doc_id", "access_control_list")
"""Without a filter on these, nobody's rights could be kept."""
FILTERED_OF_DOCUMENTS = ("doc_id", "access_control_list")

SEARCHED_OF_BLOCKS = ("content", "image_caption", "heading", "title", "filename")
SEARCHED_OF_DOCUMENTS = ("title", "filename", "summary_brief", "summary_standard", "author", "department")
NAMES_OF_DOCUMENTS = ("title", "filename")
