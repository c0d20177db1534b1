"""Names of the fields in both indexes: required fields, common fields, and fields that Ibid adds to its own indexes.

Fields that are not required may be missing. They are then not selected, and features that need them are skipped, or
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
"""Fields of a content block, apart from the two vectors."""

BLOCK_PLACE_FIELDS = (
    "page_label", "chunk_number", "heading", "bbox", "start_line", "end_line", "char_start", "char_end",
    "language",
)  # fmt: skip
"""Fields for the exact position of a block; each may be missing."""

BLOCK_DOCUMENT_FIELDS = ("filename", "title", "document_type", "department", "author", "upload_date")
"""Document fields that are repeated in each of its blocks. If they exist, a search does not need the documents
index."""

DOCUMENT_FIELDS = (
    "doc_id", "filename", "title", "document_type", "upload_date", "author", "department", "page_count",
    "summary_brief", "summary_standard", "access_control_list",
)  # fmt: skip

PAGES = "page_pictures"
"""Field that contains the folder in the private container to which `ibid azure push --pages` uploaded the document's
pages."""

DOCUMENT_MORE_FIELDS = ("document_date", "language", "warnings", "outline", "page_labels", PAGES, "pushed")
"""`outline` is JSON; `pushed` is the mark of a complete upload by `ibid azure push`."""

ALL_OF_BLOCKS = (*BLOCK_FIELDS, *BLOCK_PLACE_FIELDS, *BLOCK_DOCUMENT_FIELDS)
"""All fields of a block except the vectors, which are never read back."""
ALL_OF_DOCUMENTS = (*DOCUMENT_FIELDS, *DOCUMENT_MORE_FIELDS)

REQUIRED_OF_BLOCKS = ("block_id", "doc_id", "block_type", "content", "access_control_list")
REQUIRED_OF_DOCUMENTS = ("doc_id", "filename", "access_control_list")

FILTERED_OF_BLOCKS = ("block_id", "doc_id", "access_control_list")
"""Fields that must be filterable, because access control depends on them."""
FILTERED_OF_DOCUMENTS = ("doc_id", "access_control_list")

SEARCHED_OF_BLOCKS = ("content", "image_caption", "heading", "title", "filename")
SEARCHED_OF_DOCUMENTS = ("title", "filename", "summary_brief", "summary_standard", "author", "department")
NAMES_OF_DOCUMENTS = ("title", "filename")
