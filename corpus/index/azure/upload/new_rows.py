"""Convert documents and blocks to rows, the inverse of `rows.py`. No row contains a path on this machine.

Fields that an index lacks are not written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from corpus.access import is_holdable
from corpus.documents.block import Block
from corpus.documents.document import Document
from corpus.errors import AzureSearchError
from corpus.index.azure.schema.fields import (
    ACCESS,
    ALL_OF_BLOCKS,
    ALL_OF_DOCUMENTS,
    BLOCK_DOCUMENT_FIELDS,
    BLOCK_FIELDS,
    BLOCK_PLACE_FIELDS,
    CAPTION_VECTOR,
    CONTENT_VECTOR,
    DOCUMENT_FIELDS,
    FILTERED_OF_BLOCKS,
    FILTERED_OF_DOCUMENTS,
    PAGES,
    REQUIRED_OF_BLOCKS,
    REQUIRED_OF_DOCUMENTS,
    VECTORS,
)
from corpus.index.azure.schema.index_schema import Shape, shape_of
from corpus.index.azure.service.azure_errors import status_of
from corpus.index.azure.service.connection import Connection
from corpus.text.normalization import with_marks

DATES = ("upload_date", "document_date")


def document_row(document: Document) -> dict[str, Any]:
    """Return every field except those about the upload. Missing values are None."""
    names = [name for name in ALL_OF_DOCUMENTS if name not in ("pushed", PAGES)]
    return {name: _of_document(document, name) for name in names}


def facts_row(document: Document) -> dict[str, Any]:
    """Return the document fields that are repeated in each block: the access list and the fields to filter by. A name
    that is not valid in an access list is omitted, which only makes the list more restrictive."""
    return {name: _of_document(document, name) for name in (ACCESS, *BLOCK_DOCUMENT_FIELDS)}


def block_row(
    block: Block, document: Document, vector: Sequence[float] | None, image_url: str | None
) -> dict[str, Any]:
    """Convert a block to a row, with its document's access list instead of its own. Fields without a value are
    omitted."""
    row = {name: _plain(getattr(block, name)) for name in (*BLOCK_FIELDS, *BLOCK_PLACE_FIELDS)}
    row |= {"doc_id": document.doc_id, "image_url": image_url or _public(block.image_url)}
    row |= facts_row(document)
    if vector is not None:
        row[CAPTION_VECTOR if block.block_type == "image" else CONTENT_VECTOR] = [float(n) for n in vector]
    return {name: value for name, value in row.items() if value is not None}


def _of_document(document: Document, name: str) -> Any:
    if name == "outline":
        entries = [[with_marks(one.title), one.level, one.page_number] for one in document.outline]
        return json.dumps(entries, ensure_ascii=False) if entries else None
    if name == ACCESS:
        return [one for one in document.access_control_list if is_holdable(one)]
    value = getattr(document, name)
    return _moment(value) if name in DATES else _plain(value)


def _plain(value: Any) -> Any:
    """Convert a value to one that JSON and the service accept, without invalid characters."""
    if isinstance(value, str):
        return with_marks(value)
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    return value


def _moment(text: str | None) -> str | None:
    """Return a date with a time zone, as the service requires, or None if the date is invalid."""
    try:
        when = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).isoformat()


def _public(address: str | None) -> str | None:
    """Return the address if others can open it, or None if it is local."""
    return address if address and address.startswith("https://") else None


@dataclass(frozen=True, slots=True)
class Writable:
    """An index, with the names of its writable fields and whether rows show their access lists."""

    shape: Shape
    names: frozenset[str]
    shows_lists: bool

    @property
    def index(self) -> str:
        """The name of the index."""
        return self.shape.index

    def fields(self, some: Mapping[str, Any]) -> dict[str, Any]:
        """Return only those values for which the index has a field."""
        return {name: value for name, value in some.items() if name in self.names}


async def writable(connection: Connection, content: str, documents: str) -> tuple[Writable, Writable]:
    """Return both indexes. Raises NotConfigured if a required field is missing."""
    blocks = await _of(connection, content, BLOCK_FIELDS, ALL_OF_BLOCKS, VECTORS)
    blocks.shape.check(REQUIRED_OF_BLOCKS, FILTERED_OF_BLOCKS)
    rows = await _of(connection, documents, DOCUMENT_FIELDS, ALL_OF_DOCUMENTS)
    rows.shape.check(REQUIRED_OF_DOCUMENTS, FILTERED_OF_DOCUMENTS)
    return blocks, rows


async def _of(
    connection: Connection, index: str, least: Iterable[str], own: Iterable[str], hidden: Iterable[str] = ()
) -> Writable:
    shape = shape_of(index, await connection.definition(index))
    if shape.known:
        return Writable(shape, frozenset(shape.fields), shape.can(ACCESS, "retrievable"))
    # The role for writing rows cannot read definitions. A search shows which fields exist, unless they are hidden.
    if await _has(connection, index, own):
        return Writable(shape, frozenset({*own, *hidden}), shows_lists=True)
    return Writable(shape, frozenset({*least, *hidden}), await _has(connection, index, [ACCESS]))


async def _has(connection: Connection, index: str, names: Iterable[str]) -> bool:
    """Return whether the index has all of these fields, by trying a search."""
    try:
        await connection.search(index, top=1, filter=None, select=list(names))
    except AzureSearchError as error:
        if status_of(error) != 400:
            raise
        return False
    return True
