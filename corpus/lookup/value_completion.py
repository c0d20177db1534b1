"""Complete ids, page numbers and names from the characters typed so far, using only documents that the caller may
read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from corpus.access import Caller
from corpus.errors import DocumentNotFound
from corpus.text.normalization import clean, fold_case

if TYPE_CHECKING:
    from corpus.index.protocol import Index

MAX_CHOICES = 100
"""Maximum number of choices per response, which is the limit set by the protocol."""
MAX_INPUT_CHARACTERS = 200
"""Maximum number of characters of the input that are used."""
MAX_DOCUMENTS = 20
"""Maximum number of documents whose figures are read for one response."""
KNOWN_BY = ("department", "document_type")
"""Fields whose values are offered as completions of a subject."""

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Choices:
    """Completions. `total` is None if not all matches were counted; `documents` contains the ids of the documents that
    the values disclose."""

    values: tuple[str, ...] = ()
    total: int | None = 0
    documents: tuple[str, ...] = ()


class Completion:
    """Completes input from the contents of one index."""

    def __init__(self, index: Index) -> None:
        self._index = index

    async def documents(self, typed: str, caller: Caller) -> Choices:
        """Return the document ids that start with the input, then the ids of documents whose id, title or file name
        contains every word of the input."""
        begun = await self._index.begun(_short(typed), MAX_CHOICES, caller)
        return Choices(begun.doc_ids, begun.total, begun.doc_ids)

    async def pages(self, doc_id: str, typed: str, caller: Caller) -> Choices:
        """Return the page numbers that start with the input. There are none if the document does not exist or is not
        readable."""
        try:
            count = (await self._index.document(doc_id, caller)).page_count
        except DocumentNotFound:
            return Choices()
        begin = typed.strip()
        numbers = [str(number) for number in range(1, (count or 0) + 1)]
        return replace(_first_choices([number for number in numbers if number.startswith(begin)]), documents=(doc_id,))

    async def figures(self, typed: str, caller: Caller) -> Choices:
        """Return the ids of image blocks that start with the input, then those of image blocks in matching
        documents."""
        begin = _short(typed)
        owners = await self._index.documents(_ids_before_a_dash(begin), caller)
        documents = await self._index.begun(begin, MAX_DOCUMENTS, caller)
        figures = {block_id: doc_id for doc_id in sorted(owners) for block_id in await self._figures_of(doc_id, caller)}
        by_block = {
            block_id: doc_id for block_id, doc_id in figures.items() if fold_case(block_id).startswith(fold_case(begin))
        }
        for doc_id in documents.doc_ids:
            if len(by_block) <= MAX_CHOICES:
                by_block |= dict.fromkeys(await self._figures_of(doc_id, caller), doc_id)
        block_ids = tuple(by_block)
        is_complete = len(block_ids) <= MAX_CHOICES and documents.total <= len(documents.doc_ids)
        doc_ids = tuple(dict.fromkeys(by_block[block_id] for block_id in block_ids[:MAX_CHOICES]))
        return Choices(block_ids[:MAX_CHOICES], len(block_ids) if is_complete else None, doc_ids)

    async def subjects(self, typed: str, caller: Caller) -> Choices:
        """Return the departments and document types that match the input."""
        values = [value for field in KNOWN_BY for value in await self._index.values(field, caller)]
        return matching_choices(values, typed)

    async def _figures_of(self, doc_id: str, caller: Caller) -> list[str]:
        try:
            return [block.block_id for block in await self._index.figures(doc_id, caller)]
        except DocumentNotFound:  # removed in the meantime
            return []


def matching_choices(values: Iterable[str], typed: str) -> Choices:
    """Return the values that start with the input, then those in which another word does. Each group is in the given
    order."""
    begin = fold_case(_short(typed))
    every = list(dict.fromkeys(values))
    first = [value for value in every if fold_case(value).startswith(begin)]
    inside = [value for value in every if any(word.startswith(begin) for word in _words(value))]
    return _first_choices([*first, *(value for value in inside if value not in first)])


def _words(value: str) -> list[str]:
    return _WORD.findall(fold_case(value))


def _short(typed: str) -> str:
    return clean(typed[:MAX_INPUT_CHARACTERS]).strip()


def _ids_before_a_dash(typed: str) -> list[str]:
    """Return the input and its prefixes before each dash. If the input is the start of a block id, one of these is the
    document's id."""
    return [typed, *(typed[: at.start()] for at in re.finditer("-", typed))]


def _first_choices(values: list[str]) -> Choices:
    return Choices(tuple(values[:MAX_CHOICES]), len(values))
