"""What both indexes are like: read at the first question, completed by rows that are seen, and asked for again while
the credential may not know it, since rights take minutes to reach every part of a service."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

import structlog

from corpus.errors import AzureSearchError, NotConfigured, Timeout
from corpus.index.azure.connection import Connection
from corpus.index.azure.fields import (
    FILTERED_OF_BLOCKS,
    FILTERED_OF_DOCUMENTS,
    REQUIRED_OF_BLOCKS,
    REQUIRED_OF_DOCUMENTS,
)
from corpus.index.azure.mark import mark_in
from corpus.index.azure.rows import Row
from corpus.index.azure.shape import Shape, shape_of
from corpus.index.azure.swapped import check_shapes
from corpus.processes.gather import gather

AGAIN = 60.0
"""Seconds after which definitions that could not be read are asked for again."""

log = structlog.stdlib.get_logger("ibid")


class Shapes:
    """The two, each as far as it is known by now."""

    def __init__(self, content: Shape, documents: Shape) -> None:
        self.content = content
        self.documents = documents
        self._again = time.monotonic() + AGAIN

    @classmethod
    async def read(cls, connection: Connection, content: str, documents: str) -> Shapes:
        """Raises AzureSearchError for an index that is not there, NotConfigured for one that lacks a field."""
        blocks, whole = await gather([partial(_read, connection, name) for name in (content, documents)])
        _check(blocks, whole)
        return cls(blocks, whole)

    async def refresh(self, connection: Connection) -> None:
        """Once in a minute, ask again for what could not be read; what was learned from rows stays until then.
        Raises NotConfigured for an index that turns out to lack a field."""
        unknown = [one.index for one in (self.content, self.documents) if not one.known]
        if not unknown or time.monotonic() < self._again:
            return
        self._again = time.monotonic() + AGAIN  # first, so that those who ask meanwhile do not ask for it too
        try:
            found = await gather([partial(_read, connection, name) for name in unknown])
        except (AzureSearchError, Timeout):
            log.info("azure.definitions_unread", index_name=unknown)
            return
        now = {one.index: one for one in found if one.known}
        content, documents = (now.get(one.index, one) for one in (self.content, self.documents))
        try:
            _check(content, documents)
        except NotConfigured:
            self._again = 0.0  # no question is answered until that is mended
            raise
        self.content, self.documents = content, documents

    def see(self, shape: Shape, rows: Sequence[Row]) -> None:
        """Learn the names of fields from rows of one of the two."""
        if rows and shape is self.content:
            self.content = shape.learned(rows[0])
        elif rows and shape is self.documents:
            self.documents = shape.learned(rows[0])

    def prefixed(self, wanted: bool | None) -> bool:
        """Whether access lists tell kinds of principals apart: as the marks of the indexes say, else the settings;
        those of others hold plain names. Raises NotConfigured where these contradict each other."""
        marks = self._marks()
        if len(set(marks.values())) > 1:
            made = " and ".join(f"{index} holds {_written(prefixed)}" for index, prefixed in marks.items())
            raise NotConfigured(
                f"The two indexes do not belong together: {made}. Name two that were made at once "
                "(AZURE_SEARCH_CONTENT_INDEX, AZURE_SEARCH_DOCUMENTS_INDEX)."
            )
        for index, prefixed in marks.items():
            if wanted is not None and wanted != prefixed:
                raise NotConfigured(
                    f"RAG_PRINCIPAL_PREFIXES is {str(wanted).lower()}, but index {index} was made with "
                    f"{str(prefixed).lower()}. Unset it, or name another index."
                )
        return next(iter(marks.values()), bool(wanted))

    def guessed(self, wanted: bool | None) -> bool:
        """Whether nothing says how access lists are written, and nobody may look."""
        return wanted is None and not self.content.known and not self._marks()

    def _marks(self) -> dict[str, bool]:
        found = {one.index: mark_in(one.description) for one in (self.content, self.documents)}
        return {index: mark.prefixed for index, mark in found.items() if mark}


async def _read(connection: Connection, name: str) -> Shape:
    return shape_of(name, await connection.definition(name))


def _check(content: Shape, documents: Shape) -> None:
    check_shapes(content, documents)
    content.check(REQUIRED_OF_BLOCKS, FILTERED_OF_BLOCKS)
    documents.check(REQUIRED_OF_DOCUMENTS, FILTERED_OF_DOCUMENTS)


def _written(prefixed: bool) -> str:
    return "names with their kind (user:ann)" if prefixed else "plain names (ann)"
