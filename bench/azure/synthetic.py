"""Load the blocks of the local bench into the emulator in two forms: as specified by the design, and as in Ibid's own
indexes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.blocks import BLOCKS_A_DOCUMENT, DIMENSIONS, Corpus, NoEmbedder, made
from corpus.access import Caller
from corpus.embedding.protocol import Vectors
from corpus.index.azure import AzureIndex, Service, Wishes
from corpus.index.azure import Place as Indexes
from corpus.index.azure.schema.create_indexes import content_index, documents_index
from corpus.index.azure.schema.index_schema import Mark
from corpus.index.azure.service.connection import Connection
from corpus.index.azure.upload.batches import Sender
from corpus.index.azure.upload.new_rows import block_row, document_row
from corpus.search import Search, SearchResult

if TYPE_CHECKING:
    from azure.search.documents.indexes.models import SearchIndex

BLOCKS = 5_000
MARK = Mark(True, NoEmbedder.id)
READER = Caller(user_id="few")
"""A caller who can read half of the documents."""
TOP = 10
OF_THE_DESIGN = frozenset(
    {
        "block_id", "doc_id", "page_number", "block_type", "content", "content_vector", "image_url", "image_caption",
        "image_caption_vector", "access_control_list",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Place:
    """A pair of indexes, named after the content of their blocks."""

    name: str
    content: str
    fields: frozenset[str] | None = None
    documents: str = "documents"

    @property
    def told(self) -> str:
        return f"{BLOCKS:,} blocks of 60-180 words in {BLOCKS // BLOCKS_A_DOCUMENT} documents, vectors of {DIMENSIONS}."

    def on(self, service: Service) -> Indexes:
        return Indexes(service, self.content, self.documents, Wishes(embedder=NoEmbedder.id))

    def definition(self) -> SearchIndex:
        made = content_index(self.content, dimensions=DIMENSIONS, mark=MARK)
        made.fields = [one for one in made.fields if self.fields is None or one.name in self.fields]
        return made

    def row(self, whole: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in whole.items() if self.fields is None or name in self.fields}


PLACES = (
    Place("blocks as in the design", "design-blocks", OF_THE_DESIGN),
    Place("blocks with the facts of their document", "own-blocks"),
)


class Queries:
    """The texts of the queries and their vectors, which are the same in every run. Used as an embedder, it only looks
    up the vectors, at negligible cost."""

    id, dimensions = NoEmbedder.id, DIMENSIONS

    def __init__(self, count: int) -> None:
        corpus = Corpus(count)
        self.texts = [corpus.query() for _ in range(count)]
        self._vectors: dict[str, Vectors] = dict(zip(self.texts, corpus.vectors(count), strict=True))

    async def query(self, text: str) -> Vectors:
        return self._vectors[text]

    async def passages(self, texts: Sequence[str]) -> Vectors:
        raise NotImplementedError

    async def aclose(self) -> None:
        """Do nothing, because there are no resources to release."""

    def finding(self, index: AzureIndex) -> Callable[[int], Awaitable[SearchResult]]:
        """Return a function that runs the hybrid search with the given number."""
        return lambda n: index.find(Search(self.texts[n % len(self.texts)], TOP), READER)


async def filled(service: Service) -> tuple[Place, ...]:
    """Return both pairs of indexes in the service, each filled with the same blocks."""
    async with Connection(service) as connection:
        for place in PLACES:
            await connection.create(place.definition())
        await connection.create(documents_index(PLACES[0].documents, mark=MARK))
        corpus, send = Corpus(BLOCKS), Sender(connection, pause=1.0)
        for number in range(BLOCKS // BLOCKS_A_DOCUMENT):
            document, blocks = made(corpus, number)
            vectors = corpus.vectors(len(blocks))
            rows = [
                block_row(new.block, document, vector.tolist(), None)
                for new, vector in zip(blocks, vectors, strict=True)
            ]
            for place in PLACES:
                await send.upload(place.content, "block_id", [place.row(row) for row in rows])
            known = {name: value for name, value in document_row(document).items() if value is not None}
            await send.upload(PLACES[0].documents, "doc_id", [known])
    return PLACES
