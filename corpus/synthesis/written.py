"""An answer that lies in a file, checked against what it cites: the pages that it names are the sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

import anyio.to_thread

from corpus.access import Caller
from corpus.citations import PAGE, citation, with_distinct_names
from corpus.documents.block import Block
from corpus.documents.document import Document
from corpus.documents.every_document import every_document
from corpus.embedding.protocol import Embedder
from corpus.index.protocol import Index
from corpus.search import Hit
from corpus.synthesis.answer import Source
from corpus.synthesis.checking import Checked, checked_by_meaning
from corpus.synthesis.judging import ModelJudge
from corpus.synthesis.named_pages import Cited, cited_pages
from corpus.synthesis.verifying import readable

MOST_SOURCES = 100
_MOST_BLOCKS = 300
_FURTHER = 100_001
"""From here on sources are numbered that the answer names by their file alone."""

Parts = tuple[tuple[int, Block], ...]
"""The blocks that a source is put together of, each with its offset in the source's text."""


@dataclass(frozen=True, slots=True)
class Written:
    """`text` is what was checked; `parts` are those of each source, by its number."""

    text: str
    check: Checked
    sources: tuple[Source, ...]
    parts: dict[int, Parts]


async def written_checked(
    answer: str,
    index: Index,
    caller: Caller,
    *,
    page: str = PAGE,
    embedder: Embedder | None = None,
    judge: ModelJudge | None = None,
) -> Written:
    """Each claim against the pages that it cites, as far as the caller may read them: by the file and its page, or by
    `[N]` where a line of the answer says which file and page N is. Raises InvalidRequest for one empty or endless."""
    text = readable(answer)
    documents = [one async for one in every_document(index, caller)]
    sources, parts, further = list[Source](), dict[int, Parts](), count(_FURTHER)
    called = with_distinct_names(documents)
    for cited in await anyio.to_thread.run_sync(cited_pages, text, documents, MOST_SOURCES):
        number = next(further) if cited.number is None else cited.number
        blocks = await _blocks(index, cited, caller)
        if blocks and number not in parts:
            source, parts[number] = _source(number, cited, called[cited.document.doc_id], blocks, page)
            sources.append(source)
    check = await checked_by_meaning(text, sources, embedder, judge=judge)
    return Written(text, check, tuple(sources), parts)


async def _blocks(index: Index, cited: Cited, caller: Caller) -> tuple[Block, ...]:
    first, last = (cited.pages[0], cited.pages[-1]) if cited.pages else (1, 10**6)
    blocks = await index.pages(cited.document.doc_id, first, last, caller)
    named = {None, *cited.pages} if cited.pages else None
    return tuple(block for block in blocks if named is None or block.page_number in named)[:_MOST_BLOCKS]


def _source(
    number: int, cited: Cited, named: Document, blocks: Sequence[Block], page: str
) -> tuple[Source, Parts]:
    parts, text = list[tuple[int, Block]](), ""
    for block in blocks:
        own = "\n\n".join(part for part in (block.image_caption, block.content) if part)
        if own:
            text += "\n\n" if text else ""
            parts.append((len(text), block))
            text += own
    single = cited.pages[0] if len(cited.pages) == 1 else None
    whole = replace(
        blocks[0], block_type="text", content=text, image_caption=None, page_number=single, heading=None,
        start_line=None, end_line=None, page_label=blocks[0].page_label if single else None,
    )  # fmt: skip
    called = citation(named, whole, page)
    if len(cited.pages) > 1:
        called = f"{called[:-1]}, {page} {cited.called})"
    hit = Hit(whole, cited.document, score=1.0, score_kind="none")
    return Source(number, called, hit=hit), tuple(parts)
