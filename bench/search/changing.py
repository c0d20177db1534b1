"""Change a document of 50 blocks, and search through another handle to the index, which must see the change."""

from __future__ import annotations

from dataclasses import replace

from bench.blocks import BLOCKS_A_DOCUMENT, NoEmbedder, Source
from bench.measured import measured
from bench.record import Row
from bench.search.asking import Questions
from corpus.access import Caller
from corpus.documents.document import Document
from corpus.filters import Filters
from corpus.index.local import LocalIndex
from corpus.index.local.documents_and_blocks import known_embedder
from corpus.index.local.index_reader import Reader
from corpus.index.local.index_reader import export_document as whole
from corpus.index.protocol import NewBlock

COUNT = 20
EVERYBODY = Caller(unfiltered=True)


def rows(writer: LocalIndex, reader: LocalIndex, source: Source, questions: Questions) -> list[Row]:
    """Return the times of the search through the other handle, of the change, and of both together. The texts stay the
    same, so that nothing needs to be embedded."""
    names = [f"d{n}" for n in range(min(COUNT, source.blocks // BLOCKS_A_DOCUMENT))]
    documents = [_held(writer, name) for name in names]

    def change(n: int) -> None:
        document, blocks = documents[n % len(documents)]
        writer._writer.replace(replace(document, title=f"Changed {n}"), blocks, keep_access=False)

    def ask(n: int) -> None:
        assert reader._searcher.search(questions.asked(n, "both", EVERYBODY, Filters())).mode == "hybrid"

    def both(n: int) -> None:
        change(n)
        ask(n)

    return [
        {"part": "change", "what": what, **measured(work, COUNT).row()}
        for what, work in (("search", ask), ("change", change), ("change and search", both))
    ]


def _held(index: LocalIndex, name: str) -> tuple[Document, list[NewBlock]]:
    with index._store.reading() as (connection, _):
        held = whole(Reader(connection, EVERYBODY, True, known_embedder(connection, NoEmbedder.id), True), name)
    return held.document, [NewBlock(block) for block in held.blocks]
