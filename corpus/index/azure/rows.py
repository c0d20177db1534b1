"""Rows of the service as blocks and documents, and what is selected for each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from corpus.blocks import Block, Box
from corpus.documents import Document, OutlineEntry
from corpus.index.azure.fields import ALL_OF_DOCUMENTS
from corpus.text import clean

Row = Mapping[str, Any]

OF_LISTED_DOCUMENTS = tuple(name for name in ALL_OF_DOCUMENTS if name not in ("outline", "page_labels"))
"""What a list or a hit shows; an outline can be longer than all of that."""


def block_of(row: Row) -> Block:
    """Fields that are missing or of another kind than they should be are left out."""
    return Block(
        block_id=_text(row, "block_id"),
        doc_id=_text(row, "doc_id"),
        block_type="image" if _is_image(row) else "text",
        content=_text(row, "content"),
        image_url=_text(row, "image_url") or None,
        image_caption=_text(row, "image_caption") or None,
        page_number=_number(row, "page_number"),
        page_label=_text(row, "page_label") or None,
        chunk_number=_number(row, "chunk_number") or 0,
        heading=_text(row, "heading") or None,
        bbox=_box(row.get("bbox")),
        start_line=_number(row, "start_line"),
        end_line=_number(row, "end_line"),
        char_start=_number(row, "char_start"),
        char_end=_number(row, "char_end"),
        language=_text(row, "language") or None,
        access_control_list=_texts(row, "access_control_list"),
    )


def document_of(row: Row) -> Document:
    filename = _text(row, "filename")
    return Document(
        doc_id=_text(row, "doc_id"),
        filename=filename,
        title=_text(row, "title") or filename,
        document_type=_text(row, "document_type"),
        upload_date=_date(row, "upload_date"),
        document_date=_date(row, "document_date")[:10] or None,
        author=_text(row, "author") or None,
        department=_text(row, "department") or None,
        page_count=_number(row, "page_count"),
        summary_brief=_text(row, "summary_brief"),
        summary_standard=_text(row, "summary_standard"),
        language=_text(row, "language") or None,
        access_control_list=_texts(row, "access_control_list"),
        status="ready",
        warnings=_texts(row, "warnings"),
        outline=_outline(_text(row, "outline")),
        page_labels=_texts(row, "page_labels"),
    )


def names_its_document(row: Row) -> bool:
    """Whether a block's own row says which file it is of."""
    return bool(row.get("filename"))


def reading_order(block: Block) -> tuple[object, ...]:
    """By page, then by number where the index holds one, then by the numbers at the end of the id."""
    return (
        block.page_number is None,
        block.page_number or 0,
        block.chunk_number,
        [(not part.isdigit(), part.zfill(12)) for part in block.block_id.replace("_", "-").split("-")],
    )


def _is_image(row: Row) -> bool:
    kind = row.get("block_type")
    return kind == "image" or (kind != "text" and bool(row.get("image_url")))


def _text(row: Row, name: str) -> str:
    value = row.get(name)
    return clean(value) if isinstance(value, str) else ""


def _texts(row: Row, name: str) -> tuple[str, ...]:
    value = row.get(name)
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def _number(row: Row, name: str) -> int | None:
    value = row.get(name)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _date(row: Row, name: str) -> str:
    """In UTC, as the local index writes it; empty for what is no date."""
    try:
        when = datetime.fromisoformat(_text(row, name))
    except ValueError:
        return ""
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).astimezone(UTC).isoformat()


def _box(value: object) -> Box | None:
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 4:
        return None
    left, top, right, bottom = value
    return (float(left), float(top), float(right), float(bottom))


def _outline(text: str) -> tuple[OutlineEntry, ...]:
    try:
        entries = json.loads(text) if text else []
        return tuple(OutlineEntry(str(title), int(level), page) for title, level, page in entries)
    except (ValueError, TypeError, RecursionError):
        return ()
