"""What somebody who types may mean: ids, pages and names among what the caller may read, a few of them at once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from corpus.access import Caller
from corpus.errors import DocumentNotFound
from corpus.text import clean, folded

if TYPE_CHECKING:
    from corpus.index.protocol import Index

MOST = 100
"""Choices of one answer; the protocol allows no more."""
LONGEST_TYPED = 200
"""Letters that are compared; nobody types more before choosing."""
MOST_LOOKED_AT = 20
"""Documents whose figures are looked at for one answer."""
KNOWN_BY = ("department", "document_type")

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Choices:
    """`total` is None where there are more than anybody counted; `documents` are the ids of those that they tell of."""

    values: tuple[str, ...] = ()
    total: int | None = 0
    documents: tuple[str, ...] = ()


class Completing:
    def __init__(self, index: Index) -> None:
        self._index = index

    async def documents(self, typed: str, caller: Caller) -> Choices:
        """Ids that begin so, then those whose id, title or file name holds every word of it."""
        begun = await self._index.begun(_short(typed), MOST, caller)
        return Choices(begun.doc_ids, begun.total, begun.doc_ids)

    async def pages(self, doc_id: str, typed: str, caller: Caller) -> Choices:
        """Page numbers that begin so; none for a document that is not there, or not for this caller."""
        try:
            count = (await self._index.document(doc_id, caller)).page_count
        except DocumentNotFound:
            return Choices()
        begin = typed.strip()
        numbers = [str(number) for number in range(1, (count or 0) + 1)]
        return replace(
            _first_choices([number for number in numbers if number.startswith(begin)]), documents=(doc_id,)
        )

    async def figures(self, typed: str, caller: Caller) -> Choices:
        """Ids of image blocks that begin so, then those of the documents that fit."""
        begin = _short(typed)
        owners = await self._index.documents(_ids_before_a_dash(begin), caller)
        documents = await self._index.begun(begin, MOST_LOOKED_AT, caller)
        figures = {
            figure: doc_id for doc_id in sorted(owners) for figure in await self._figures_of(doc_id, caller)
        }
        by_block = {
            figure: doc_id for figure, doc_id in figures.items() if folded(figure).startswith(folded(begin))
        }
        for doc_id in documents.doc_ids:
            if len(by_block) <= MOST:
                by_block |= dict.fromkeys(await self._figures_of(doc_id, caller), doc_id)
        block_ids = tuple(by_block)
        is_complete = len(block_ids) <= MOST and documents.total <= len(documents.doc_ids)
        doc_ids = tuple(dict.fromkeys(by_block[figure] for figure in block_ids[:MOST]))
        return Choices(block_ids[:MOST], len(block_ids) if is_complete else None, doc_ids)

    async def subjects(self, typed: str, caller: Caller) -> Choices:
        """Departments and kinds of documents."""
        values = [value for field in KNOWN_BY for value in await self._index.values(field, caller)]
        return fitting(values, typed)

    async def _figures_of(self, doc_id: str, caller: Caller) -> list[str]:
        try:
            return [block.block_id for block in await self._index.figures(doc_id, caller)]
        except DocumentNotFound:  # removed meanwhile
            return []


def fitting(values: Iterable[str], typed: str) -> Choices:
    """Values that begin with what was typed, then those with a word that does, each part in the order given."""
    begin = folded(_short(typed))
    every = list(dict.fromkeys(values))
    first = [value for value in every if folded(value).startswith(begin)]
    inside = [value for value in every if any(word.startswith(begin) for word in _words(value))]
    return _first_choices([*first, *(value for value in inside if value not in first)])


def _words(value: str) -> list[str]:
    return _WORD.findall(folded(value))


def _short(typed: str) -> str:
    return clean(typed[:LONGEST_TYPED]).strip()


def _ids_before_a_dash(typed: str) -> list[str]:
    """What may be the id of a document in the beginning of a block's id."""
    return [typed, *(typed[: at.start()] for at in re.finditer("-", typed))]


def _first_choices(values: list[str]) -> Choices:
    return Choices(tuple(values[:MOST]), len(values))
