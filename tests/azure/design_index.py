"""Both indexes with exactly the fields of the design, without Ibid's own fields, and rows for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from corpus.documents.block import Block
from corpus.documents.document import Document

CONTENT, DOCUMENTS = "content-blocks", "documents-metadata"

_VECTORS = {
    "algorithms": [{"name": "near", "kind": "hnsw", "hnswParameters": {"metric": "cosine"}}],
    "profiles": [{"name": "plain", "algorithm": "near"}],
}


def _text(name: str, **more: Any) -> dict[str, Any]:
    able = {
        "searchable": False,
        "filterable": True,
        "sortable": True,
        "facetable": False,
        "retrievable": True,
    }
    return {"name": name, "type": "Edm.String", **able, **more}


def _number(name: str) -> dict[str, Any]:
    return {"name": name, "type": "Edm.Int32", "filterable": True, "sortable": True, "retrievable": True}


def _vector(name: str, dimensions: int) -> dict[str, Any]:
    kind = {"type": "Collection(Edm.Single)", "searchable": True, "retrievable": False}
    return {"name": name, **kind, "dimensions": dimensions, "vectorSearchProfile": "plain"}


_PROSE = {"searchable": True, "filterable": False, "sortable": False}
_ACCESS = {
    "name": "access_control_list", "type": "Collection(Edm.String)", "searchable": False, "filterable": True,
    "retrievable": True,
}  # fmt: skip


def content_index(dimensions: int = 64, **more: Any) -> dict[str, Any]:
    fields = [
        _text("block_id", key=True), _text("doc_id"), _number("page_number"), _text("block_type"),
        _text("content", **_PROSE), _vector("content_vector", dimensions),
        _text("image_url", filterable=False, sortable=False), _text("image_caption", **_PROSE),
        _vector("image_caption_vector", dimensions), _ACCESS,
    ]  # fmt: skip
    return {"name": CONTENT, "fields": fields, "vectorSearch": _VECTORS, **more}


def documents_index() -> dict[str, Any]:
    dated = {"type": "Edm.DateTimeOffset", "filterable": True, "sortable": True, "retrievable": True}
    fields = [
        _text("doc_id", key=True), _text("filename", searchable=True), _text("title", searchable=True),
        _text("document_type"), {"name": "upload_date", **dated}, _text("author"), _text("department"),
        _number("page_count"), _text("summary_brief", **_PROSE), _text("summary_standard", **_PROSE), _ACCESS,
    ]  # fmt: skip
    return {"name": DOCUMENTS, "fields": fields}


def block_row(block: Block, access: Sequence[str], vector: Sequence[float] | None) -> dict[str, Any]:
    image = block.block_type == "image"
    return {
        "block_id": block.block_id, "doc_id": block.doc_id, "page_number": block.page_number,
        "block_type": block.block_type, "content": block.content, "image_url": block.image_url,
        "image_caption": block.image_caption, "access_control_list": list(access),
        **({("image_caption_vector" if image else "content_vector"): list(vector)} if vector is not None else {}),
    }  # fmt: skip


def document_row(document: Document) -> Mapping[str, Any]:
    names = (
        "doc_id", "filename", "title", "document_type", "author", "department", "page_count", "summary_brief",
        "summary_standard",
    )  # fmt: skip
    return {
        **{name: getattr(document, name) for name in names},
        "upload_date": document.upload_date.replace("+00:00", "Z"),
        "access_control_list": list(document.access_control_list),
    }
