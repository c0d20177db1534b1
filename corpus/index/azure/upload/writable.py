"""Find the writable fields of an index, which are the fields that exist."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from corpus.errors import AzureSearchError
from corpus.index.azure.schema.fields import (
    ACCESS,
    ALL_OF_BLOCKS,
    ALL_OF_DOCUMENTS,
    BLOCK_FIELDS,
    DOCUMENT_FIELDS,
    FILTERED_OF_BLOCKS,
    FILTERED_OF_DOCUMENTS,
    REQUIRED_OF_BLOCKS,
    REQUIRED_OF_DOCUMENTS,
    VECTORS,
)
from corpus.index.azure.schema.index_schema import Shape, shape_of
from corpus.index.azure.service.connection import Connection
from corpus.index.azure.service.failures import status_of


@dataclass(frozen=True, slots=True)
class Writable:
    """An index with the names of its writable fields, and whether rows show their access lists."""

    shape: Shape
    names: frozenset[str]
    shows_lists: bool

    @property
    def index(self) -> str:
        """The name of the index."""
        return self.shape.index

    def fields(self, some: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values for which the index has a field."""
        return {name: value for name, value in some.items() if name in self.names}


async def writable(connection: Connection, content: str, documents: str) -> tuple[Writable, Writable]:
    """Return both indexes. Raises NotConfigured for a missing field."""
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
    # The role for writing rows cannot read definitions. A search shows which fields exist, except hidden fields.
    if await _has(connection, index, own):
        return Writable(shape, frozenset({*own, *hidden}), shows_lists=True)
    return Writable(shape, frozenset({*least, *hidden}), await _has(connection, index, [ACCESS]))


async def _has(connection: Connection, index: str, names: Iterable[str]) -> bool:
    """Return whether the index has all of these fields, as far as a search shows them."""
    try:
        await connection.search(index, top=1, filter=None, select=list(names))
    except AzureSearchError as error:
        if status_of(error) != 400:
            raise
        return False
    return True
