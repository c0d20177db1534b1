"""How an index that is there differs from the one that Ibid would make."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from corpus.index.azure.fields import (
    FILTERED_OF_BLOCKS,
    FILTERED_OF_DOCUMENTS,
    REQUIRED_OF_BLOCKS,
    REQUIRED_OF_DOCUMENTS,
)
from corpus.index.azure.mark import Mark, mark_in
from corpus.index.azure.shape import ABILITIES

if TYPE_CHECKING:
    from azure.search.documents.indexes.models import SearchField, SearchIndex

REQUIRED = frozenset((*REQUIRED_OF_BLOCKS, *REQUIRED_OF_DOCUMENTS))
FILTERED = frozenset((*FILTERED_OF_BLOCKS, *FILTERED_OF_DOCUMENTS))


@dataclass(frozen=True, slots=True)
class Difference:
    """`hinders` where the index cannot be used as it is; else something works less well, or not at all but unneeded."""

    text: str
    hinders: bool = False


def differences(found: SearchIndex, wanted: SearchIndex) -> list[Difference]:
    """What is missing in the one found or is otherwise, those that hinder first. Fields of its own are its business."""
    there = {one.name: one for one in found.fields}
    all_of_them = [
        *_marks(mark_in(found.description or ""), mark_in(wanted.description or "")),
        *(one for field in wanted.fields for one in _field(there.get(field.name), field)),
        *_semantic(found, wanted),
    ]
    return sorted(all_of_them, key=lambda one: not one.hinders)


def _marks(found: Mark | None, wanted: Mark | None) -> Iterator[Difference]:
    if found is None:
        yield Difference(
            "it was not made by Ibid, so RAG_PRINCIPAL_PREFIXES and RAG_AZURE_EMBEDDER must say how its access lists "
            "are written and whose vectors it holds"
        )
        return
    if wanted is None:
        return
    if found.prefixed != wanted.prefixed:
        yield Difference(
            f"its access lists are {_written(found)}, those of the settings {_written(wanted)}", hinders=True
        )
    if wanted.embedder and found.embedder != wanted.embedder:
        theirs = f"of {found.embedder}" if found.embedder else "of nobody"
        yield Difference(
            f"its vectors are {theirs}, those of the settings of {wanted.embedder}", hinders=True
        )


def _written(mark: Mark) -> str:
    return "prefixed (user:ann)" if mark.prefixed else "plain (ann)"


def _field(found: SearchField | None, wanted: SearchField) -> Iterator[Difference]:
    name = wanted.name
    if found is None:
        yield Difference(f"{name} is missing", hinders=name in REQUIRED)
        return
    if plain(found.type) != plain(wanted.type):
        yield Difference(f"{name} is {plain(found.type)}, not {plain(wanted.type)}", hinders=True)
    if bool(found.key) != bool(wanted.key):
        yield Difference(f"{name} is {'' if found.key else 'not '}the key", hinders=True)
    if wanted.vector_search_dimensions not in (None, found.vector_search_dimensions):
        yield Difference(
            f"{name} has {found.vector_search_dimensions} dimensions, not {wanted.vector_search_dimensions}",
            hinders=True,
        )
    for ability in ABILITIES:
        if getattr(wanted, ability) and getattr(found, ability) is False:
            yield Difference(f"{name} is not {ability}", hinders=ability == "filterable" and name in FILTERED)
    for what in ("analyzer_name", "normalizer_name"):
        one, other = plain(getattr(found, what)), plain(getattr(wanted, what))
        if other and one != other:
            yield Difference(f"{name} has the {what.removesuffix('_name')} {one or 'none'}, not {other}")


def plain(value: object) -> str:
    """As the service writes it: some of the SDK's names are enumerations, whose text is their name in Python."""
    return str(value.value) if isinstance(value, Enum) else str(value or "")


def _semantic(found: SearchIndex, wanted: SearchIndex) -> Iterator[Difference]:
    has = bool(found.semantic_search and found.semantic_search.configurations)
    if wanted.semantic_search and not has:
        yield Difference("it has no semantic configuration")
    asks = bool(wanted.vector_search and wanted.vector_search.vectorizers)
    if asks and not (found.vector_search and found.vector_search.vectorizers):
        yield Difference("it has no vectorizer")
