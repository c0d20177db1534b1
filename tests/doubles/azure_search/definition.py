"""An index definition, in the form that the evaluation uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.doubles.azure_search.words import folded


@dataclass(frozen=True)
class Field:
    name: str
    type: str
    key: bool
    searchable: bool
    filterable: bool
    retrievable: bool
    sortable: bool
    facetable: bool
    index_analyzer: str
    search_analyzer: str
    normalise: Callable[[str], str] | None
    """Normalisation of a string before filters, sorting and facets compare it."""
    dimensions: int | None
    profile: str | None

    @property
    def collection(self) -> bool:
        return self.type.startswith("Collection(")

    @property
    def item_type(self) -> str:
        return self.type.removeprefix("Collection(").removesuffix(")")

    @property
    def vector(self) -> bool:
        return self.dimensions is not None

    @property
    def text(self) -> bool:
        """True if the field can be searched for words."""
        return self.searchable and self.item_type == "Edm.String"


@dataclass(frozen=True)
class Semantic:
    title: str | None
    content: tuple[str, ...]
    keywords: tuple[str, ...]

    @property
    def fields(self) -> tuple[str, ...]:
        return (*([self.title] if self.title else []), *self.content, *self.keywords)


@dataclass(frozen=True)
class Definition:
    name: str
    fields: dict[str, Field]
    key: str
    semantic: dict[str, Semantic]
    default_semantic: str | None
    metrics: dict[str, str]
    """Metric of each vector field: cosine, dotProduct or euclidean."""
    vectorized: frozenset[str]
    """Vector fields that have a vectorizer in the index."""
    weights: dict[str, dict[str, float]] = field(default_factory=dict)
    """Weight of each field, for each scoring profile."""


def read_definition(raw: Mapping[str, Any]) -> Definition:
    """Read a definition, which may omit defaults and is assumed to be valid."""
    fields = {one["name"]: _field(one, raw) for one in raw["fields"]}
    semantic = raw.get("semantic") or {}
    profiles = {one["name"]: one for one in _section(raw, "profiles")}
    metrics = {one["name"]: _metric(one) for one in _section(raw, "algorithms")}
    vectors = [one for one in fields.values() if one.vector and one.profile in profiles]
    return Definition(
        name=raw["name"],
        fields=fields,
        key=next((one.name for one in fields.values() if one.key), ""),
        semantic={one["name"]: _semantic(one) for one in semantic.get("configurations") or []},
        default_semantic=semantic.get("defaultConfiguration"),
        metrics={one.name: metrics.get(profiles[one.profile]["algorithm"], "cosine") for one in vectors},
        vectorized=frozenset(one.name for one in vectors if profiles[one.profile].get("vectorizer")),
        weights={one["name"]: (one.get("text") or {}).get("weights", {}) for one in raw.get("scoringProfiles") or []},
    )


def _field(raw: Mapping[str, Any], index: Mapping[str, Any]) -> Field:
    kind = raw["type"]
    vector = raw.get("dimensions") is not None
    text = "Edm.String" in kind
    plain = not vector and "Geography" not in kind
    analyzer = raw.get("analyzer") or "standard.lucene"
    return Field(
        name=raw["name"],
        type=kind,
        key=_flag(raw, "key", False),
        searchable=_flag(raw, "searchable", text or vector),
        filterable=_flag(raw, "filterable", not vector),
        retrievable=_flag(raw, "retrievable", True),
        sortable=_flag(raw, "sortable", not kind.startswith("Collection(")),
        facetable=_flag(raw, "facetable", plain),
        index_analyzer=raw.get("indexAnalyzer") or analyzer,
        search_analyzer=raw.get("searchAnalyzer") or analyzer,
        normalise=_normaliser(raw.get("normalizer"), index),
        dimensions=raw.get("dimensions"),
        profile=raw.get("vectorSearchProfile"),
    )


def _flag(raw: Mapping[str, Any], name: str, unset: bool) -> bool:
    value = raw.get(name)
    return unset if value is None else bool(value)


def _normaliser(name: str | None, index: Mapping[str, Any]) -> Callable[[str], str] | None:
    own = {one["name"]: one.get("tokenFilters") or [] for one in index.get("normalizers") or []}
    filters = own.get(name or "", {"standard": ["lowercase", "asciifolding"]}.get(name or "", [name]))
    steps = {"lowercase": str.lower, "uppercase": str.upper, "asciifolding": folded}
    chosen = [steps[one] for one in filters if one in steps]
    if not chosen:
        return None

    def normalise(text: str) -> str:
        for step in chosen:
            text = step(text)
        return text

    return normalise


def _section(raw: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    return (raw.get("vectorSearch") or {}).get(name) or []


def _metric(algorithm: Mapping[str, Any]) -> str:
    parameters = algorithm.get("hnswParameters") or algorithm.get("exhaustiveKnnParameters") or {}
    return parameters.get("metric") or "cosine"


def _semantic(raw: Mapping[str, Any]) -> Semantic:
    chosen = raw.get("prioritizedFields") or {}

    def names(part: str) -> tuple[str, ...]:
        return tuple(one["fieldName"] for one in chosen.get(part) or [])

    title = (chosen.get("titleField") or {}).get("fieldName")
    return Semantic(title, names("prioritizedContentFields"), names("prioritizedKeywordsFields"))
