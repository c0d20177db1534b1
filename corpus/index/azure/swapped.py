"""The names of the two indexes in each other's place, which nothing else shows where no definition may be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from corpus.errors import NotConfigured
from corpus.index.azure.fields import BLOCK_KEY, DOCUMENT_KEY
from corpus.index.azure.shape import Shape

_OF_BLOCKS = (BLOCK_KEY, "block_type", "content")


def check_rows(rows: Sequence[Mapping[str, Any]], index: str, *, blocks: bool) -> None:
    """Raises NotConfigured where the first row, with all its fields, is of the other index than the one meant."""
    row = next(iter(rows), {})
    if blocks and DOCUMENT_KEY in row and not any(name in row for name in _OF_BLOCKS):
        raise swapped(index, "documents, and no blocks")
    if not blocks and row.get(BLOCK_KEY) is not None:
        raise swapped(index, "blocks, and no documents")


def check_shapes(content: Shape, documents: Shape) -> None:
    """Raises NotConfigured where both definitions are those of the other."""
    if (
        content.known
        and documents.known
        and BLOCK_KEY in documents.fields
        and BLOCK_KEY not in content.fields
    ):
        raise swapped(content.index, "documents, and no blocks")


def swapped(index: str, held: str) -> NotConfigured:
    return NotConfigured(
        f"Index {index} holds {held}: AZURE_SEARCH_CONTENT_INDEX and AZURE_SEARCH_DOCUMENTS_INDEX look swapped.",
        hints=("Give each the name of the other.",),
    )
