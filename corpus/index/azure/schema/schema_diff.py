"""Compare an existing index with the index that Ibid would create."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Literal

from corpus.index.azure.schema.fields import (
    ACCESS,
    BLOCK_KEY,
    FILTERED_OF_BLOCKS,
    FILTERED_OF_DOCUMENTS,
    REQUIRED_OF_BLOCKS,
    REQUIRED_OF_DOCUMENTS,
)
from corpus.index.azure.schema.index_schema import ABILITIES, Mark, mark_in

if TYPE_CHECKING:
    from azure.search.documents.indexes.models import SearchField, SearchIndex

Kind = Literal["unusable", "worse", "choice"]
KINDS: tuple[Kind, ...] = ("unusable", "worse", "choice")
DEFAULT_ANALYZER = "standard.lucene"
"""Analyzer that the service uses for a field whose definition does not name one."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference. Its kind is `unusable` if the index cannot be searched or filled, `worse` if some feature works
    less well or not at all, and `choice` if the index's owner may decide."""

    text: str
    kind: Kind = "worse"

    @property
    def hinders(self) -> bool:
        """Return whether the difference makes the index unusable."""
        return self.kind == "unusable"


def differences(actual: SearchIndex, wanted: SearchIndex) -> list[Difference]:
    """Return the differences between the actual index and the wanted one, worst first. Additional fields are
    ignored."""
    there = {one.name: one for one in actual.fields}
    both = [(there[one.name], one) for one in wanted.fields if one.name in there]
    needs = _Needs.of(wanted)
    all_of_them = [
        *_marks(mark_in(actual.description or ""), mark_in(wanted.description or "")),
        *_missing([one.name for one in wanted.fields if one.name not in there], needs),
        *(one for pair in both for one in _kinds(*pair)),
        *_unable(both, needs),
        *(one for pair in both for one in _words(*pair)),
        *_semantic(actual, wanted),
    ]
    return sorted(all_of_them, key=lambda difference: KINDS.index(difference.kind))


@dataclass(frozen=True, slots=True)
class _Needs:
    """Fields that one index must have, and fields by which it must be able to filter."""

    required: frozenset[str]
    filtered: frozenset[str]

    @classmethod
    def of(cls, wanted: SearchIndex) -> _Needs:
        blocks = any(one.key and one.name == BLOCK_KEY for one in wanted.fields)
        return (
            cls(frozenset(REQUIRED_OF_BLOCKS), frozenset(FILTERED_OF_BLOCKS))
            if blocks
            else cls(frozenset(REQUIRED_OF_DOCUMENTS), frozenset(FILTERED_OF_DOCUMENTS))
        )

    def able(self, ability: str) -> frozenset[str]:
        """Return the fields that must have this ability."""
        must = {"filterable": self.filtered, "retrievable": self.filtered - {ACCESS}}
        return must.get(ability, frozenset())


def _marks(actual: Mark | None, wanted: Mark | None) -> Iterator[Difference]:
    if actual is None:
        yield Difference(
            "it was not made by Ibid, so RAG_PRINCIPAL_PREFIXES and RAG_AZURE_EMBEDDER must say how its access lists "
            "are written and which embedder made its vectors",
            "choice",
        )
        return
    if wanted is None:
        return
    if actual.prefixed != wanted.prefixed:
        yield Difference(
            f"its access lists are {_written(actual)}, but the settings require {_written(wanted)}", "unusable"
        )
    if wanted.embedder and actual.embedder != wanted.embedder:
        theirs = f"from {actual.embedder}" if actual.embedder else "from an unknown embedder"
        yield Difference(f"its vectors are {theirs}, but the settings require {wanted.embedder}", "unusable")


def _written(mark: Mark) -> str:
    return "prefixed (user:ann)" if mark.prefixed else "plain (ann)"


def _missing(names: list[str], needs: _Needs) -> Iterator[Difference]:
    """Yield one difference for each missing required field, and a single one for all other missing fields, because
    these may be many."""
    yield from (Difference(f"{name} is missing", "unusable") for name in names if name in needs.required)
    if others := [name for name in names if name not in needs.required]:
        yield Difference(f"{_are(others)} missing")


def _kinds(actual: SearchField, wanted: SearchField) -> Iterator[Difference]:
    name = wanted.name
    if plain(actual.type) != plain(wanted.type):
        yield Difference(f"{name} is {plain(actual.type)}, not {plain(wanted.type)}", "unusable")
    if bool(actual.key) != bool(wanted.key):
        yield Difference(f"{name} is {'' if actual.key else 'not '}the key", "unusable")
    if wanted.vector_search_dimensions not in (None, actual.vector_search_dimensions):
        yield Difference(
            f"{name} has {actual.vector_search_dimensions} dimensions, not {wanted.vector_search_dimensions}",
            "unusable",
        )


def _unable(both: list[tuple[SearchField, SearchField]], needs: _Needs) -> Iterator[Difference]:
    for ability in [one for one in ABILITIES if one != "facetable"]:  # no request uses facets
        names = [
            wanted.name for actual, wanted in both
            if getattr(wanted, ability) and getattr(actual, ability) is False
        ]  # fmt: skip
        must = needs.able(ability)
        yield from (Difference(f"{name} is not {ability}", "unusable") for name in names if name in must)
        if others := [name for name in names if name not in must]:
            yield Difference(f"{_are(others)} not {ability}")


def _words(actual: SearchField, wanted: SearchField) -> Iterator[Difference]:
    """Yield differences in how words are analysed and names normalised."""
    analyzer = plain(actual.analyzer_name or actual.index_analyzer_name) or DEFAULT_ANALYZER
    wanted_analyzer = plain(wanted.analyzer_name)
    if wanted_analyzer and actual.searchable and analyzer != wanted_analyzer:
        yield Difference(f"{wanted.name} has the analyzer {analyzer}, not {wanted_analyzer}", "choice")
    normalizer, wanted_normalizer = plain(actual.normalizer_name), plain(wanted.normalizer_name)
    if wanted_normalizer and not normalizer:
        text = f"{wanted.name} has no normalizer ({wanted_normalizer}), so its filters and order are case-sensitive"
        yield Difference(text)
    elif wanted_normalizer and normalizer != wanted_normalizer:
        yield Difference(f"{wanted.name} has the normalizer {normalizer}, not {wanted_normalizer}", "choice")


def _are(names: Iterable[str]) -> str:
    listed = list(names)
    return f"{', '.join(listed)} {'is' if len(listed) == 1 else 'are'}"


def plain(value: object) -> str:
    """Return the service's name for a value. Some of the SDK's values are enumeration members, for which `str` returns
    the Python name."""
    return str(value.value) if isinstance(value, Enum) else str(value or "")


def _semantic(actual: SearchIndex, wanted: SearchIndex) -> Iterator[Difference]:
    has = bool(actual.semantic_search and actual.semantic_search.configurations)
    if wanted.semantic_search and not has:
        yield Difference("it has no semantic configuration")
    asks = bool(wanted.vector_search and wanted.vector_search.vectorizers)
    if asks and not (actual.vector_search and actual.vector_search.vectorizers):
        yield Difference("it has no vectorizer")
