"""An answer that lies in a file, checked against what it cites: the pages that it names are the sources."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from corpus.access import Caller
from corpus.blocks import Block
from corpus.citations import PAGE, citation
from corpus.citing.names import place_in
from corpus.documents import Document
from corpus.embedding.promise import Embedder
from corpus.errors import InvalidRequest
from corpus.index.promise import Index
from corpus.search import Hit, Listing
from corpus.synthesis.answer import Source
from corpus.synthesis.checking import Checked, checked_by_meaning
from corpus.synthesis.marking import unmarked
from corpus.synthesis.verifying import LONGEST_ANSWER
from corpus.text import clean, folded

MOST_SOURCES = 100
_MOST_BLOCKS = 300
_LISTED = re.compile(r"\s*(?:[-*]\s+)?\[\^?(\d{1,5})\][:.]?\s")
_REST = re.compile(r"[^\n;\]]{0,120}")
_FURTHER = 100_001
"""From here on sources are numbered that the answer names by their file alone."""
_AT_ONCE = 200

Parts = tuple[tuple[int, Block], ...]
"""The blocks that a source is put together of, each with its offset in the source's text."""


@dataclass(frozen=True, slots=True)
class Written:
    """`text` is what was checked; `parts` are those of each source, by its number."""

    text: str
    check: Checked
    sources: tuple[Source, ...]
    parts: dict[int, Parts]


@dataclass(frozen=True, slots=True)
class _Cited:
    number: int | None
    document: Document
    page: int | None


async def written_checked(
    answer: str, index: Index, caller: Caller, *, page: str = PAGE, embedder: Embedder | None = None
) -> Written:
    """Each claim against the pages that it cites, as far as the caller may read them: by the file and its page, or by
    `[N]` where a line of the answer says which file and page N is. Raises InvalidRequest for one empty or endless."""
    text = unmarked(clean(answer))
    if not text.strip():
        raise InvalidRequest("The answer is empty, so there is nothing to check.")
    if len(text) > LONGEST_ANSWER:
        raise InvalidRequest(f"The answer is longer than {LONGEST_ANSWER} letters. Check it in parts.")
    documents = await _documents(index, caller)
    sources, parts, further = list[Source](), dict[int, Parts](), count(_FURTHER)
    for cited in list(dict.fromkeys(_cited(text, documents)))[:MOST_SOURCES]:
        number = next(further) if cited.number is None else cited.number
        blocks = await _blocks(index, cited, caller)
        if blocks and number not in parts:
            source, parts[number] = _source(number, cited, blocks, page)
            sources.append(source)
    check = await checked_by_meaning(text, sources, embedder)
    return Written(text, check, tuple(sources), parts)


async def _documents(index: Index, caller: Caller) -> list[Document]:
    found, after = list[Document](), None
    while True:
        listed = await index.list_documents(Listing(limit=_AT_ONCE, after=after), caller)
        found += listed.documents
        after = listed.next_after
        if after is None or not listed.documents:
            return found


def _cited(text: str, documents: Sequence[Document]) -> Iterator[_Cited]:
    """What is named, in order; each with the number that its line gives it, if it gives one."""
    for line in text.splitlines():
        plain = line.replace("\\", "")
        listed = _LISTED.match(plain)
        number = int(listed[1]) if listed else None
        for document, at in _named(plain, documents):
            rest = _REST.match(plain, at)
            place = place_in(rest[0].split(")")[0] if rest else "")
            pages: list[int | None] = [*sorted(place.pages)]
            for page in pages or [None]:
                yield _Cited(number, document, page)
                number = None if page is not None else number


def _named(line: str, documents: Sequence[Document]) -> Iterator[tuple[Document, int]]:
    """The documents whose file names stand in a line, and where each name ends; a name within a longer one is none."""
    low = folded(line)
    if len(low) != len(line):
        low = line.lower()
    for document in documents:
        name = folded(document.filename)
        start = low.find(name) if name else -1
        while start >= 0:
            end = start + len(name)
            if not (low[start - 1 : start].isalnum() or low[start - 1 : start] in ("-", "_", ".")):
                yield document, end
            start = low.find(name, end)


async def _blocks(index: Index, cited: _Cited, caller: Caller) -> tuple[Block, ...]:
    first, last = (cited.page, cited.page) if cited.page is not None else (1, 10**6)
    blocks = await index.pages(cited.document.doc_id, first, last, caller)
    return blocks[:_MOST_BLOCKS]


def _source(number: int, cited: _Cited, blocks: Sequence[Block], page: str) -> tuple[Source, Parts]:
    parts, text = list[tuple[int, Block]](), ""
    for block in blocks:
        own = "\n\n".join(part for part in (block.image_caption, block.content) if part)
        if own:
            text += "\n\n" if text else ""
            parts.append((len(text), block))
            text += own
    whole = replace(
        blocks[0], block_type="text", content=text, image_caption=None, page_number=cited.page, heading=None,
        start_line=None, end_line=None, page_label=blocks[0].page_label if cited.page else None,
    )  # fmt: skip
    hit = Hit(whole, cited.document, score=1.0, score_kind="none")
    return Source(number, citation(cited.document, whole, page), hit=hit), tuple(parts)
