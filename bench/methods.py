"""Methods that the bench `retrieval` compares: a plain one, and an index with keyword search, vectors or both."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

from bench.corpus_index import ranking_of
from bench.kept_vectors import KeptVectors
from bench.measures import Result
from bench.parts import Part
from bench.plain import Plain
from corpus.access import ANONYMOUS
from corpus.documents.block import Block, passage_text
from corpus.filters import Filters
from corpus.index.local import LocalIndex
from corpus.index.local.ranking import Ranking
from corpus.search import Search

PLAIN = "plain"
WAYS = {"words": "lexical", "vectors": "vector", "both": "hybrid"}
DEPTH = 50
"""Number of blocks requested, which is enough to include ten distinct pages."""


class Method(Protocol):
    """A method. `passages` contains all passages that it can find. `find` returns the best of them, or the best ones in
    one document."""

    @property
    def passages(self) -> Sequence[Result]: ...

    async def find(self, query: str, doc: str | None = None) -> list[Result]: ...


class Ours:
    """An index, queried as in `rag_semantic_search`."""

    def __init__(self, index: LocalIndex, passages: Sequence[Result], ids: Mapping[str, str]) -> None:
        self.passages = passages
        self._index = index
        self._ids = ids

    async def find(self, query: str, doc: str | None = None) -> list[Result]:
        if doc is not None and doc not in self._ids:
            return []
        filters = Filters() if doc is None else Filters(doc_id=(self._ids[doc],))
        hits = (await self._index.find(Search(query, DEPTH, filters), ANONYMOUS)).hits
        return [result_of(hit.document.filename, hit.block).scored(hit.score) for hit in hits]


def result_of(filename: str, block: Block) -> Result:
    is_image = block.block_type == "image"
    return Result(filename, block.page_number or 0, block.block_id, passage_text(block), is_image=is_image)


@asynccontextmanager
async def methods_of(
    part: Part, folder: Path, embedder: KeptVectors, rankings: Mapping[str, Ranking]
) -> AsyncIterator[dict[str, Method]]:
    """Yield the plain method and the three ways to search the index, by name. If rankings are given, yield these
    instead, each with both keyword search and vectors."""
    await _prepare(folder)
    blocks = await blocks_of(folder)
    ids = {name: block.doc_id for name, block in blocks}
    passages = [result_of(name, block) for name, block in blocks]
    ways = {name: ("hybrid", ranking) for name, ranking in rankings.items()}
    ways = ways or {name: (way, ranking_of(way)) for name, way in WAYS.items()}
    opened = {
        name: LocalIndex.open(folder, None if way == "lexical" else embedder, ranking=ranking, create=False)
        for name, (way, ranking) in ways.items()
    }
    methods: dict[str, Method] = {}
    if not rankings:
        methods[PLAIN] = await Plain.of(part.files, blocks, embedder)
    yield methods | {name: Ours(index, passages, ids) for name, index in opened.items()}
    for index in opened.values():
        await index.aclose()


async def _prepare(folder: Path) -> None:
    """Search once, because an index from another version of the program may answer its first questions without keyword
    search while it rebuilds its word index."""
    index = LocalIndex.open(folder, None, create=False)
    if any("word index" in warning for warning in (await index.find(Search("word"), ANONYMOUS)).warnings):
        await index.rebuild_words()
    await index.aclose()


async def blocks_of(folder: Path) -> list[tuple[str, Block]]:
    """Return each block with its file name, in the order of the documents."""
    index = LocalIndex.open(folder, None, create=False)
    wholes = [await index.whole(document.doc_id) for document in await index.all_documents()]
    await index.aclose()
    return [(whole.document.filename, block) for whole in wholes for block in whole.blocks]
