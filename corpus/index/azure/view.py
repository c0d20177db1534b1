"""Both indexes as one caller sees them. Every read request goes through `View`, which adds the access filter.

`every_row` reads all rows of a query, even if there are more than the 1,000 that one response can contain. The service
pages only by row number.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import structlog

from corpus.access import Caller, may_read
from corpus.documents.block import Block, picture_resource
from corpus.errors import AzureSearchError, NotConfigured
from corpus.index.azure.pictures import PictureStore
from corpus.index.azure.rows import Row, block_of
from corpus.index.azure.schema.fields import ACCESS, ALL_OF_BLOCKS, ALL_OF_DOCUMENTS, BLOCK_KEY, DOCUMENT_KEY
from corpus.index.azure.schema.index_schema import Shape, Shapes, check_rows
from corpus.index.azure.service.azure_errors import CALLER_HEADER, status_of
from corpus.index.azure.service.connection import MAX_ROWS, Answer, Connection
from corpus.odata import all_of, build_security_filter
from corpus.text.normalization import is_text

GUESSED = (
    "Access lists are assumed to contain plain names, because this credential may not read the index definition. "
    "If Ibid made it, set RAG_PRINCIPAL_PREFIXES=true; otherwise documents that are not public remain hidden."
)

log = structlog.stdlib.get_logger("ibid")


@dataclass(frozen=True, slots=True)
class View:
    """Both indexes for one caller. `prefixed` is true if principals in access lists include their kind."""

    connection: Connection
    shapes: Shapes
    caller: Caller
    prefixed: bool
    guessed: bool = False
    """Whether `prefixed` is a guess, because there is neither a mark nor a setting and the definition cannot be
    read."""
    pictures: PictureStore | None = None
    """The private container of pictures, if configured."""
    with_token: bool = False
    """Whether requests include the caller's token in addition to the filter."""

    @property
    def authorization(self) -> dict[str, Any]:
        """Return request options with the caller's token, for an index that enforces permissions itself."""
        if not self.with_token or not self.caller.token:
            return {}
        return {"headers": {CALLER_HEADER: self.caller.token}}

    @property
    def token_missing(self) -> bool:
        """Return whether requests need the caller's token but the caller has none."""
        return self.with_token and not self.caller.token

    @property
    def rights_warnings(self) -> tuple[str, ...]:
        """Return warnings about the rights that determined which rows were found."""
        known = not self.guessed or self.caller.anonymous or self.caller.unfiltered
        return () if known else (GUESSED,)

    def block(self, row: Row) -> Block:
        """Convert a row to a block. The address of a picture in the private container is that of an MCP resource on
        this server; each answer replaces it with the picture itself or a newly signed address. An incomplete address is
        omitted."""
        block = block_of(row)
        if block.image_url is None:
            return block
        if self.pictures and self.pictures.name_of(block.image_url):
            return replace(block, image_url=picture_resource(block.block_id))
        return block if "://" in block.image_url else replace(block, image_url=None)

    def picture_name(self, row: Row) -> str | None:
        """Return the name of the row's picture in the private container, or None if its picture is not there."""
        block = block_of(row)
        return self.pictures.name_of(block.image_url) if self.pictures and block.block_type == "image" else None

    async def blocks(
        self,
        where: Iterable[str | None],
        *,
        top: int,
        text: str | None = None,
        fields: Iterable[str] = ALL_OF_BLOCKS,
        **wishes: Any,
    ) -> Answer:
        """Return up to `top` readable rows of the content index that meet every condition. Raises the same errors as
        `Connection.search`."""
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
        """Return up to `top` readable rows of the documents index that meet every condition. Raises the same errors as
        `Connection.search`."""
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
        rows = tuple(row for row in _keyed(answer.rows, fields, shape.index) if self._may_read(row, shape.index))
        self.shapes.see(shape, rows)
        return replace(answer, rows=rows)

    def _may_read(self, row: Row, index: str) -> bool:
        """Apply the access rule again to a row that passed the filter, if the index shows access lists. A malformed
        list admits nobody."""
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
    """Return the rows that contain their key.

    Raises NotConfigured if no row contains its key, because the field is hidden, or if the rows are from the other
    index. If the definition can be read, these problems are detected earlier.
    """
    keys = [name for name in (BLOCK_KEY, DOCUMENT_KEY) if name in fields]
    check_rows(rows, index, blocks=BLOCK_KEY in keys)
    for key in keys:
        if rows and not any(key in row for row in rows):
            raise NotConfigured(
                f"Index {index} gives rows without {key}. Make that field retrievable, and fill it in every row."
            )
    keyed = [row for row in rows if all(_is_key(row.get(key)) for key in keys)]
    if len(keyed) < len(rows):
        log.error("azure.rows_without_key", index_name=index, rows=len(rows) - len(keyed))
    return keyed


def _is_key(value: object) -> bool:
    return isinstance(value, str) and bool(value) and is_text(value)


PASSES = 3
"""Maximum number of passes over all rows. Each pass finds most rows that the previous ones missed."""

Ask = Callable[..., Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class Rows:
    """Distinct rows. `total` is the count reported by the service; `cut` is true if rows are missing."""

    rows: tuple[dict[str, Any], ...]
    total: int
    cut: bool


async def every_row(ask: Ask, key: str, most: int, shape: Shape) -> Rows:
    """Return up to `most` rows of a query. `ask` accepts `top`, `skip`, `order_by` and `include_total_count`.

    Without an order, rows can move between two responses, so that some appear twice and others never. Rows are
    therefore ordered by the key if the service can do so. Even then, two responses can come from different replicas,
    and one of these may lack the latest rows. If rows are missing from the result, the query is therefore repeated.
    """
    order = shape.order(key)
    if order is None:
        return await _passed(ask, key, most, None)
    try:
        return await _passed(ask, key, most, order)
    except AzureSearchError as error:
        if shape.known or status_of(error) != 400:
            raise
    rows = await _passed(ask, key, most, None)
    shape.unordered.add(key)  # the repeated request succeeded, so only the order was refused
    return rows


async def _passed(ask: Ask, key: str, most: int, order: list[str] | None) -> Rows:
    gathered = _Gathered(key)
    for _ in range(PASSES):
        await gathered.through(ask, most, order)
        if gathered.answers == 1 or gathered.complete or gathered.total > most:
            break
    return gathered.rows(ordered=order is not None)


class _Gathered:
    """The rows of one query, collected from several responses. `answers`, `total` and `complete` refer to the last
    pass; `uncounted` is true if the service sent no count."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._rows: dict[str, dict[str, Any]] = {}
        self._places = self._without_key = 0
        self.answers = self.total = 0
        self.uncounted = self._ended = False

    @property
    def complete(self) -> bool:
        """Return whether there are as many rows as the service reported, including rows without a key, which are
        omitted."""
        return len(self._rows) + self._without_key >= self.total

    async def through(self, ask: Ask, most: int, order: list[str] | None) -> None:
        """Make one pass over all rows."""
        count = MAX_ROWS
        self.answers = self.total = self._places = self._without_key = 0
        while count >= MAX_ROWS and self._places < most:
            answer = await ask(top=MAX_ROWS, skip=self._places, order_by=order, include_total_count=True)
            keyed = {key: row for row in answer.rows if isinstance(key := row.get(self._key), str)}
            self._rows |= keyed
            count = answer.row_count
            self.answers += 1
            self._places += count
            self._without_key += count - len(keyed)
            self.uncounted = answer.total is None
            self.total = max(self.total, self._places if answer.total is None else answer.total)
        self._ended = count < MAX_ROWS

    def rows(self, *, ordered: bool) -> Rows:
        """Return the result after the last pass. If there were several responses, without an order and a count, it is
        unknown whether the result is complete."""
        sure = self._ended if ordered or self.answers == 1 else False
        cut = not sure if self.uncounted else not self.complete
        return Rows(tuple(self._rows.values()), max(self.total, len(self._rows)), cut)
