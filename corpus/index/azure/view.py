"""Both indexes as one caller sees them. Every request of the reading side goes through here, and none without the
access filter."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import structlog

from corpus.access import Caller, build_security_filter, may_read
from corpus.errors import NotConfigured
from corpus.index.azure.connection import Answer, Connection
from corpus.index.azure.fields import (
    ACCESS,
    ALL_OF_BLOCKS,
    ALL_OF_DOCUMENTS,
    BLOCK_KEY,
    DOCUMENT_KEY,
)
from corpus.index.azure.rows import Row
from corpus.index.azure.shape import Shape
from corpus.index.azure.shapes import Shapes
from corpus.odata import all_of

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

    @property
    def told(self) -> tuple[str, ...]:
        """What the reader of any answer should know of the rights under which it was found."""
        known = not self.guessed or self.caller.anonymous or self.caller.unfiltered
        return () if known else (GUESSED,)

    async def blocks(
        self, where: Iterable[str | None], *, top: int, text: str | None = None, **wishes: Any
    ) -> Answer:
        """Readable rows of the content index that meet every condition."""
        return await self._rows(self.shapes.content, ALL_OF_BLOCKS, where, top, text, wishes)

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
            select=shape.selected(fields), **wishes,
        )  # fmt: skip
        _check_keys(answer.rows, fields, shape.index)
        rows = tuple(row for row in answer.rows if self._may_read(row, shape.index))
        self.shapes.see(shape, rows)
        return replace(answer, rows=rows)

    def _may_read(self, row: Row, index: str) -> bool:
        """A second look at what the filter let through, where the index shows its lists."""
        listed = row.get(ACCESS)
        if listed is None or may_read(listed, self.caller, prefixed=self.prefixed):
            return True
        log.error("azure.unreadable_row", index_name=index)
        return False


def _check_keys(rows: Iterable[Row], fields: Iterable[str], index: str) -> None:
    """Raises NotConfigured where rows do not say which they are; it shows only here where no definition may be read."""
    keys = [name for name in (BLOCK_KEY, DOCUMENT_KEY) if name in fields]
    lacking = [key for row in rows for key in keys if not isinstance(row.get(key), str)]
    if lacking:
        raise NotConfigured(
            f"Index {index} gives rows without {lacking[0]}. Make that field retrievable, and fill it in every row."
        )
