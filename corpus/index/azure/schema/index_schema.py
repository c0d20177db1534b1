"""The schema of an index, as far as it is known: its fields, their abilities, and Ibid's mark."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import structlog

from corpus.errors import AzureSearchError, NotConfigured, Timeout
from corpus.index.azure.rows import Row
from corpus.index.azure.schema.fields import (
    ACCESS,
    BLOCK_KEY,
    DOCUMENT_KEY,
    FILTERED_OF_BLOCKS,
    FILTERED_OF_DOCUMENTS,
    REQUIRED_OF_BLOCKS,
    REQUIRED_OF_DOCUMENTS,
)
from corpus.index.azure.service.connection import Connection
from corpus.processes.gather import gather

if TYPE_CHECKING:
    from azure.search.documents.indexes.models import SearchField, SearchIndex


_MARK = re.compile(r"Made by Ibid\. principals=(prefixed|plain)(?: embedder=([^\s;]{1,200}))?")


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark that Ibid leaves in an index that it creates: whether principals include their kind (user:, department:,
    org:, group:), and which embedder computed the vectors."""

    prefixed: bool
    embedder: str | None = None

    def __str__(self) -> str:
        embedder = f" embedder={self.embedder}" if self.embedder else ""
        return f"Made by Ibid. principals={'prefixed' if self.prefixed else 'plain'}{embedder}"


def mark_in(description: str) -> Mark | None:
    """Return the mark in the description of an index, or None if Ibid did not create it."""
    match = _MARK.search(description)
    return Mark(match[1] == "prefixed", match[2]) if match else None


Ability = Literal["retrievable", "searchable", "filterable", "sortable", "facetable"]
Value = Literal["text", "number", "date"]
"""Type of the values with which a filter compares a field."""

_KINDS: dict[Value, tuple[str, ...]] = {
    "text": ("Edm.String",),
    "number": ("Edm.Int32", "Edm.Int64", "Edm.Double"),
    "date": ("Edm.DateTimeOffset",),
}

ABILITIES: tuple[Ability, ...] = ("retrievable", "searchable", "filterable", "sortable", "facetable")


@dataclass(frozen=True, slots=True)
class FieldShape:
    """Abilities of a field. `dimensions` and `vectorized` apply to vector fields. If `normalized`, comparison of the
    field's values ignores case."""

    abilities: frozenset[Ability] = frozenset(ABILITIES)
    dimensions: int | None = None
    vectorized: bool = False
    normalized: bool = False
    kind: str | None = None
    """The service's name for the type of the field; None if unknown."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The schema of one index. `known` is true if the definition was read. `semantic` contains the semantic
    configurations, with the default one first."""

    index: str
    known: bool = False
    fields: Mapping[str, FieldShape] = field(default_factory=dict)
    semantic: tuple[str, ...] = ()
    description: str = ""
    unordered: set[str] = field(default_factory=set)
    """Keys by which the service refused to sort, so that later requests do not try again."""

    def can(self, name: str, ability: Ability) -> bool:
        """Return whether the field has the ability, or may have it because the schema is unknown."""
        shape = self.fields.get(name)
        if shape is not None:
            return ability in shape.abilities
        return not self.known and not self.fields

    def compares(self, name: str, value: Value) -> bool:
        """Return whether a filter can compare the field with a value of this type, or may be able to because the schema
        is unknown."""
        kind = self.fields[name].kind if name in self.fields else None
        return self.can(name, "filterable") and (kind is None or kind in _KINDS[value])

    def those(self, names: Iterable[str], ability: Ability) -> list[str]:
        """Return the given fields that have the ability."""
        return [name for name in names if self.can(name, ability)]

    def selected(self, names: Iterable[str]) -> list[str] | None:
        """Return the fields to select, or None (all fields) if the schema is unknown."""
        return self.those(names, "retrievable") if self.fields else None

    def order(self, key: str) -> list[str] | None:
        """Return a sort order that is stable across responses, or None if there is none."""
        return [f"{key} asc"] if key not in self.unordered and self.can(key, "sortable") else None

    def searched(self, names: Iterable[str]) -> list[str] | None:
        """Return the fields for keyword search, or None (every searchable field) if the schema is unknown."""
        return self.those(names, "searchable") if self.known else None

    def learned(self, row: Mapping[str, object]) -> Shape:
        """Return the schema with the field names of this row, which must have been requested with all fields. If the
        fields are known, return the schema unchanged."""
        if self.fields:
            return self
        return replace(self, fields={name: FieldShape() for name in row if not name.startswith("@")})

    def check(self, required: Iterable[str], filtered: Iterable[str]) -> None:
        """Raise NotConfigured if fields are missing or lack an ability. An unknown schema passes the check."""
        if not self.known:
            return
        missing = [name for name in required if name not in self.fields]
        if missing:
            raise NotConfigured(
                f"Index {self.index} has no field {', '.join(missing)}. Add it, or name another index "
                "(AZURE_SEARCH_CONTENT_INDEX, AZURE_SEARCH_DOCUMENTS_INDEX).",
                hints=("`ibid azure create-indexes --dry-run` shows every field.",),
            )
        if ACCESS in self.fields and self.fields[ACCESS].normalized:
            raise NotConfigured(
                f"Field {ACCESS} of index {self.index} has a normalizer, so a name would also admit callers with "
                "similar names. Create an index in which the field has none.",
                hints=("`ibid azure create-indexes --dry-run` shows how each field must be.",),
            )
        unable = [name for name in filtered if not self.can(name, "filterable")]
        if unable:
            raise NotConfigured(
                f"Field {', '.join(unable)} of index {self.index} is not filterable, so access rights could not be "
                "enforced. Create an index in which it is filterable.",
                hints=("`ibid azure create-indexes --dry-run` shows how each field must be.",),
            )
        hidden = [name for name in filtered if name != ACCESS and not self.can(name, "retrievable")]
        if hidden:
            raise NotConfigured(
                f"Field {', '.join(hidden)} of index {self.index} is not retrievable, so nothing in it could be cited. "
                "Create an index in which it is retrievable.",
                hints=("`ibid azure create-indexes --dry-run` shows how each field must be.",),
            )


def shape_of(index: str, definition: SearchIndex | None) -> Shape:
    """Return the schema of an index. `definition` is None if it cannot be read."""
    if definition is None:
        return Shape(index)
    profiles = {one.name: one for one in (definition.vector_search and definition.vector_search.profiles) or ()}
    vectorized = {name for name, profile in profiles.items() if profile.vectorizer_name}
    return Shape(
        index,
        known=True,
        fields={one.name: _field(one, vectorized) for one in definition.fields},
        semantic=_semantic(definition),
        description=definition.description or "",
    )


def _field(definition: SearchField, vectorized: set[str]) -> FieldShape:
    able: dict[Ability, bool] = {
        "retrievable": definition.retrievable is not False,
        "searchable": bool(definition.searchable),
        "filterable": bool(definition.filterable),
        "sortable": bool(definition.sortable),
        "facetable": bool(definition.facetable),
    }
    return FieldShape(
        frozenset(name for name, can in able.items() if can),
        definition.vector_search_dimensions,
        definition.vector_search_profile_name in vectorized,
        bool(definition.normalizer_name),
        str(getattr(definition.type, "value", definition.type)),
    )


def _semantic(definition: SearchIndex) -> tuple[str, ...]:
    search = definition.semantic_search
    if search is None:
        return ()
    names = [one.name for one in search.configurations or ()]
    first = search.default_configuration_name
    return tuple(sorted(names, key=lambda name: name != first))


_OF_BLOCKS = (BLOCK_KEY, "block_type", "content")


def check_rows(rows: Sequence[Mapping[str, Any]], index: str, *, blocks: bool) -> None:
    """Raise NotConfigured if the first row, which must have all its fields, belongs to the other index."""
    row = next(iter(rows), {})
    if blocks and DOCUMENT_KEY in row and not any(name in row for name in _OF_BLOCKS):
        raise swapped(index, "documents, and no blocks")
    if not blocks and row.get(BLOCK_KEY) is not None:
        raise swapped(index, "blocks, and no documents")


def check_shapes(content: Shape, documents: Shape) -> None:
    """Raise NotConfigured if the two indexes are swapped."""
    if content.known and documents.known and BLOCK_KEY in documents.fields and BLOCK_KEY not in content.fields:
        raise swapped(content.index, "documents, and no blocks")


def swapped(index: str, content: str) -> NotConfigured:
    """Return the error for an index that contains the rows of the other index."""
    return NotConfigured(
        f"Index {index} holds {content}: AZURE_SEARCH_CONTENT_INDEX and AZURE_SEARCH_DOCUMENTS_INDEX look swapped.",
        hints=("Give each the name of the other.",),
    )


AGAIN = 60.0
"""Seconds before unreadable definitions are requested again."""

log = structlog.stdlib.get_logger("ibid")


class Shapes:
    """The known schemas of both indexes."""

    def __init__(self, content: Shape, documents: Shape) -> None:
        self.content = content
        self.documents = documents
        self._again = time.monotonic() + AGAIN

    @classmethod
    async def read(cls, connection: Connection, content: str, documents: str) -> Shapes:
        """Read both definitions. Raises AzureSearchError for a missing index, NotConfigured for a missing field."""
        blocks, whole = await gather([partial(_read, connection, name) for name in (content, documents)])
        _check(blocks, whole)
        return cls(blocks, whole)

    async def refresh(self, connection: Connection) -> None:
        """Request unknown definitions again, at most once every AGAIN seconds. Until one can be read, field names
        learned from rows remain in use. Raises NotConfigured if an index turns out to lack a field."""
        unknown = [one.index for one in (self.content, self.documents) if not one.known]
        if not unknown or time.monotonic() < self._again:
            return
        self._again = time.monotonic() + AGAIN  # set first, so that concurrent calls do not request them too
        try:
            shapes = await gather([partial(_read, connection, name) for name in unknown])
        except (AzureSearchError, Timeout):
            log.info("azure.definitions_unread", index_name=unknown)
            return
        now = {one.index: one for one in shapes if one.known}
        content, documents = (now.get(one.index, one) for one in (self.content, self.documents))
        try:
            _check(content, documents)
        except NotConfigured:
            self._again = 0.0  # the next call checks again
            raise
        self.content, self.documents = content, documents

    def see(self, shape: Shape, rows: Sequence[Row]) -> None:
        """Learn field names from rows of one of the two indexes."""
        if rows and shape is self.content:
            self.content = shape.learned(rows[0])
        elif rows and shape is self.documents:
            self.documents = shape.learned(rows[0])

    def prefixed(self, wanted: bool | None) -> bool:
        """Return whether principals in access lists include their kind, according to the marks of the indexes or,
        without a mark, the setting `wanted`. The default is False. Raises NotConfigured if the marks contradict each
        other or the setting."""
        marks = self._marks()
        if len(set(marks.values())) > 1:
            made = " and ".join(f"{index} holds {principal_form(prefixed)}" for index, prefixed in marks.items())
            raise NotConfigured(
                f"The two indexes do not belong together: {made}. Name two that were created together "
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
        """Return whether `prefixed` is a guess, because there is neither a mark nor a setting and the definition cannot
        be read."""
        return wanted is None and not self.content.known and not self._marks()

    def _marks(self) -> dict[str, bool]:
        marks = {one.index: mark_in(one.description) for one in (self.content, self.documents)}
        return {index: mark.prefixed for index, mark in marks.items() if mark}


async def _read(connection: Connection, name: str) -> Shape:
    return shape_of(name, await connection.definition(name))


def _check(content: Shape, documents: Shape) -> None:
    check_shapes(content, documents)
    content.check(REQUIRED_OF_BLOCKS, FILTERED_OF_BLOCKS)
    documents.check(REQUIRED_OF_DOCUMENTS, FILTERED_OF_DOCUMENTS)


def principal_form(prefixed: bool) -> str:
    """Return the form of names in access lists, for messages."""
    return "names with their kind (user:ann)" if prefixed else "plain names (ann)"
