"""Both indexes as one caller sees them. Every request of the reading side goes through here, and none without the
access filter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import structlog

from corpus.access import Caller, may_read
from corpus.documents.block import Block, picture_resource
from corpus.errors import NotConfigured
from corpus.index.azure.connection import Answer, Connection
from corpus.index.azure.fields import (
    ACCESS,
    ALL_OF_BLOCKS,
    ALL_OF_DOCUMENTS,
    BLOCK_KEY,
    DOCUMENT_KEY,
)
from corpus.index.azure.index_schema import Shape, Shapes, check_rows
from corpus.index.azure.odata import all_of, build_security_filter
from corpus.index.azure.pictures import PictureStore
from corpus.index.azure.rows import Row, block_of
from corpus.text.normalization import is_text

GUESSED = (
    "Access lists are taken to hold plain names, since this credential may not read how the index was made. "
    "If Ibid made it, set RAG_PRINCIPAL_PREFIXES=true; without it, documents that are not public stay hidden."
)

log = structlog.stdlib.get_logger("ibid")


@dataclass(frozen=True, slots=True)
class View:
    connection: Connection
    shapes: Shapes
    caller: Caller
    prefixed: bool
    guessed: bool = False
    """Whether nothing said that its lists hold plain names, and nobody may look."""
    pictures: PictureStore | None = None
    """The private container of its pictures, where the settings name one."""
    with_token: bool = False
    """Whether requests carry the caller's token beside the filter."""

    @property
    def authorization(self) -> dict[str, Any]:
        """Options of a request that carries the caller's own token, for an index that knows permissions itself."""
        if not self.with_token or not self.caller.token:
            return {}
        return {"headers": {"x-ms-query-source-authorization": self.caller.token}}

    @property
    def token_missing(self) -> bool:
        """Whether requests are to carry the caller's token and it is not at hand."""
        return self.with_token and not self.caller.token

    @property
    def told(self) -> tuple[str, ...]:
        """What the reader of any answer should know of the rights under which it was found."""
        known = not self.guessed or self.caller.anonymous or self.caller.unfiltered
        return () if known else (GUESSED,)

    def block(self, row: Row) -> Block:
        """A readable row as a block. A picture in the private container has the address of a resource of this server,
        under which it is fetched or signed for in each answer anew; what is no whole address is left out."""
        block = block_of(row)
        if block.image_url is None:
            return block
        if self.pictures and self.pictures.name_of(block.image_url):
            return replace(block, image_url=picture_resource(block.block_id))
        return block if "://" in block.image_url else replace(block, image_url=None)

    def picture_name(self, row: Row) -> str | None:
        """The name of the row's picture in the private container; None where it has none there."""
        block = block_of(row)
        return (
            self.pictures.name_of(block.image_url) if self.pictures and block.block_type == "image" else None
        )

    async def blocks(
        self,
        where: Iterable[str | None],
        *,
        top: int,
        text: str | None = None,
        fields: Iterable[str] = ALL_OF_BLOCKS,
        **wishes: Any,
    ) -> Answer:
        """Readable rows of the content index that meet every condition."""
        return await self._rows(self.shapes.content, fields, where, top, text, wishes)

    async def documents(
        self,
        where: Iterable[str | None],
        *,
        top: int,
        text: str | None = None,
        fields: Iterable[str] = ALL_OF_DOCUMENTS,
        **wishes: Any,
    ) -> Answer:
        """Readable rows of the documents index that meet every condition."""
        return await self._rows(self.shapes.documents, fields, where, top, text, wishes)

    async def _rows(
        self,
        shape: Shape,
        fields: Iterable[str],
        where: Iterable[str | None],
        top: int,
        text: str | None,
        wishes: dict[str, Any],
    ) -> Answer:
        readable = build_security_filter(self.caller, prefixed=self.prefixed)
        answer = await self.connection.search(
            shape.index, text, top=top, filter=all_of([readable, *where]),
            select=shape.selected(fields), **self.authorization, **wishes,
        )  # fmt: skip
        rows = tuple(
            row for row in _keyed(answer.rows, fields, shape.index) if self._may_read(row, shape.index)
        )
        self.shapes.see(shape, rows)
        return replace(answer, rows=rows)

    def _may_read(self, row: Row, index: str) -> bool:
        """A second look at what the filter let through, where the index shows its lists. What is no list of names is
        readable by nobody."""
        listed = row.get(ACCESS, _HIDDEN)
        if listed is _HIDDEN or self.caller.unfiltered:
            return True
        names = isinstance(listed, list) and all(isinstance(one, str) for one in listed)
        if names and may_read(listed, self.caller, prefixed=self.prefixed):
            return True
        log.error("azure.unreadable_row", index_name=index)
        return False


_HIDDEN = object()


def _keyed(rows: Sequence[dict[str, Any]], fields: Iterable[str], index: str) -> list[dict[str, Any]]:
    """Those rows that say which they are. Raises NotConfigured where none of them does, since its field is hidden, or
    where they are of the other index; that shows only here where no definition may be read."""
    keys = [name for name in (BLOCK_KEY, DOCUMENT_KEY) if name in fields]
    check_rows(rows, index, blocks=BLOCK_KEY in keys)
    for key in keys:
        if rows and not any(key in row for row in rows):
            raise NotConfigured(
                f"Index {index} gives rows without {key}. Make that field retrievable, and fill it in every row."
            )
    found = [row for row in rows if all(_is_key(row.get(key)) for key in keys)]
    if len(found) < len(rows):
        log.error("azure.rows_without_key", index_name=index, rows=len(rows) - len(found))
    return found


def _is_key(value: object) -> bool:
    return isinstance(value, str) and bool(value) and is_text(value)
