"""What an index is like, as far as the credential may know: its fields and what each can do.

Where the definition may not be read (a query key, the role of a data reader), every field that is asked about is taken
to be there and able, and the service's refusal says otherwise; rows seen tell at least the names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from corpus.errors import NotConfigured
from corpus.index.azure.fields import ACCESS

if TYPE_CHECKING:
    from azure.search.documents.indexes.models import SearchField, SearchIndex

Ability = Literal["retrievable", "searchable", "filterable", "sortable", "facetable"]
Value = Literal["text", "number", "date"]
"""What a field is compared with in a filter."""

_KINDS: dict[Value, tuple[str, ...]] = {
    "text": ("Edm.String",),
    "number": ("Edm.Int32", "Edm.Int64", "Edm.Double"),
    "date": ("Edm.DateTimeOffset",),
}

ABILITIES: tuple[Ability, ...] = ("retrievable", "searchable", "filterable", "sortable", "facetable")


@dataclass(frozen=True, slots=True)
class FieldShape:
    """`dimensions` and `vectorized` are of a vector field; `normalized` values compare and sort as one case."""

    abilities: frozenset[Ability] = frozenset(ABILITIES)
    dimensions: int | None = None
    vectorized: bool = False
    normalized: bool = False
    kind: str | None = None
    """Its type as the service names it; None while that is not known."""


@dataclass(frozen=True, slots=True)
class Shape:
    """`known` tells whether the definition was read. `semantic` are its configurations, the default one first."""

    index: str
    known: bool = False
    fields: Mapping[str, FieldShape] = field(default_factory=dict)
    semantic: tuple[str, ...] = ()
    description: str = ""
    unordered: set[str] = field(default_factory=set)
    """Keys by which the service refused to sort; what is learned here holds for every later question."""

    def can(self, name: str, ability: Ability) -> bool:
        """Whether the field can do that, or might: what is not known is tried."""
        shape = self.fields.get(name)
        if shape is not None:
            return ability in shape.abilities
        return not self.known and not self.fields

    def compares(self, name: str, value: Value) -> bool:
        """Whether rows can be filtered by comparing the field with such a value, or might."""
        kind = self.fields[name].kind if name in self.fields else None
        return self.can(name, "filterable") and (kind is None or kind in _KINDS[value])

    def those(self, names: Iterable[str], ability: Ability) -> list[str]:
        return [name for name in names if self.can(name, ability)]

    def selected(self, names: Iterable[str]) -> list[str] | None:
        """What to ask for; None, which is every field, while nothing is known."""
        return self.those(names, "retrievable") if self.fields else None

    def order(self, key: str) -> list[str] | None:
        """An order in which rows stay in their place from one answer to the next; None where there is none."""
        return [f"{key} asc"] if key not in self.unordered and self.can(key, "sortable") else None

    def searched(self, names: Iterable[str]) -> list[str] | None:
        """In which fields to look for words; None, which is every searchable one, where that is not known."""
        return self.those(names, "searchable") if self.known else None

    def learned(self, row: Mapping[str, object]) -> Shape:
        """With the names that a row asked for in full shows. Nothing new where the definition is known."""
        if self.fields:
            return self
        return replace(self, fields={name: FieldShape() for name in row if not name.startswith("@")})

    def check(self, required: Iterable[str], filtered: Iterable[str]) -> None:
        """Raises NotConfigured that names what is missing or not as it must be; what is not known passes."""
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
                f"Field {ACCESS} of index {self.index} has a normalizer, so that one name would open what is meant for "
                "another that only looks alike. Make an index where it has none.",
                hints=("`ibid azure create-indexes --dry-run` shows how each field must be.",),
            )
        unable = [name for name in filtered if not self.can(name, "filterable")]
        if unable:
            raise NotConfigured(
                f"Field {', '.join(unable)} of index {self.index} is not filterable, so nobody's rights could be "
                "kept. Make an index where it is.",
                hints=("`ibid azure create-indexes --dry-run` shows how each field must be.",),
            )
        hidden = [name for name in filtered if name != ACCESS and not self.can(name, "retrievable")]
        if hidden:
            raise NotConfigured(
                f"Field {', '.join(hidden)} of index {self.index} is not retrievable, so nothing there could be cited. "
                "Make an index where it is.",
                hints=("`ibid azure create-indexes --dry-run` shows how each field must be.",),
            )


def shape_of(index: str, definition: SearchIndex | None) -> Shape:
    if definition is None:
        return Shape(index)
    profiles = {
        one.name: one for one in (definition.vector_search and definition.vector_search.profiles) or ()
    }
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
