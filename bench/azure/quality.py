"""Ask the questions of the development corpora, both to the local index and to the same blocks in the emulator."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from bench.azure.service import CONTENT, DOCUMENTS, stand_in
from bench.corpus_index import answers, ingested
from bench.measures import CUTS, hit_at, paired_interval, ranked, reciprocal
from bench.questions import Question, questions
from bench.tables import groups, table
from corpus.access import ANONYMOUS
from corpus.embedding import choose
from corpus.index.azure import AzureIndex, Place, Service
from corpus.index.azure.schema.create_indexes import ANALYZER, content_index, documents_index
from corpus.index.azure.schema.index_schema import Mark
from corpus.index.azure.service.connection import Connection
from corpus.index.azure.upload.document_upload import DocumentUpload
from corpus.index.azure.upload.uploading import Uploader
from corpus.index.local import LocalIndex
from corpus.search import Hit, Search

DEPTH = 50
"""Number of blocks requested, which is enough to include ten distinct pages."""
COMPARED = 10
"""Number of top blocks for which the overlap is reported."""
NEAR_ENOUGH = 0.1
WAYS = ("lexical", "hybrid")

Hits = list[tuple[Hit, ...]]


async def compared(corpora: Path, analyzer: str = ANALYZER) -> str:
    """Return the tables. `analyzer` is the emulator's text analyzer."""
    asked = questions(corpora)
    folder = await ingested(corpora)
    texts = [question.text for question in asked]
    local = {way: await answers(folder, way, texts, DEPTH) for way in WAYS}
    async with carried(folder, analyzer) as (service, told):
        azure = {way: await _answers(service, way, texts) for way in WAYS}
    verdict = "\n".join(_verdict(asked, way, local[way], azure[way]) for way in WAYS)
    return "\n\n".join([told, _pages(asked, local, azure), verdict])


@asynccontextmanager
async def carried(folder: Path, analyzer: str) -> AsyncIterator[tuple[Service, str]]:
    """Yield a service that contains every document of the local index, uploaded in the same way as by a push, and a
    sentence about the upload."""
    embedder = choose("packaged")
    assert embedder
    local, mark = LocalIndex.open(folder, embedder), Mark(True, embedder.id)
    with stand_in() as service:
        async with Connection(service) as connection:
            blocks = content_index(CONTENT, dimensions=embedder.dimensions, mark=mark, analyzer=analyzer)
            await connection.create(blocks)
            await connection.create(documents_index(DOCUMENTS, mark=mark, analyzer=analyzer))
            uploader = Uploader(connection, CONTENT, DOCUMENTS)
            carrier = DocumentUpload(local, uploader, origin="bench", embedder=embedder.id, pictures=None)
            documents = await local.all_documents()
            for document in documents:
                await carrier.carry(await carrier.whole(document.doc_id), None, lambda seconds: None)
            rows = (await connection.search(CONTENT, top=0, filter=None, include_total_count=True)).total
        await local.aclose()
        yield service, f"{len(documents)} documents, {rows} blocks, analyzer {analyzer}."


async def _answers(service: Service, way: str, texts: Sequence[str]) -> Hits:
    embedder = choose("packaged") if way == "hybrid" else None
    async with AzureIndex(Place(service, CONTENT, DOCUMENTS), embedder) as index:
        found = [await index.find(Search(text, DEPTH), ANONYMOUS) for text in texts]
    assert {one.mode for one in found} == {way}
    return [one.hits for one in found]


def _pages(asked: Sequence[Question], local: dict[str, Hits], azure: dict[str, Hits]) -> str:
    head = ["set", "language", "questions", "ranked by", "index", *(f"page@{cut}" for cut in CUTS), "MRR"]
    rows = []
    for name, language, mine in groups(asked):
        for way in WAYS:
            overlap = _overlap([(local[way][n], azure[way][n]) for n in mine])
            for index, hits in (("local", local[way]), ("stand-in", azure[way])):
                exact = [ranked(asked[n], hits[n]).exact for n in mine]
                cells = [f"{cell:.2f}" for cell in (*(hit_at(exact, c) for c in CUTS), reciprocal(exact))]
                shown = f"{overlap:.2f}" if index == "stand-in" else ""
                rows.append([name, language, str(len(mine)), way, index, *cells, shown])
    return table([*head, f"overlap of the top {COMPARED}"], rows)


def _overlap(pairs: Sequence[tuple[Sequence[Hit], Sequence[Hit]]]) -> float:
    """Return the mean fraction of one index's top blocks that are also among the other's."""
    shares = []
    for ours, theirs in pairs:
        best, other = ({hit.block.block_id for hit in hits[:COMPARED]} for hits in (ours, theirs))
        shares.append(len(best & other) / max(len(best), 1))
    return sum(shares) / len(shares)


def _verdict(asked: Sequence[Question], way: str, local: Hits, azure: Hits) -> str:
    ours, theirs = (
        [ranked(question, hits).exact for question, hits in zip(asked, found, strict=True)] for found in (azure, local)
    )
    mean, low, high = paired_interval(ours, theirs, 5)
    kept = "within" if abs(mean) <= NEAR_ENOUGH else "NOT within"
    return (
        f"Stand-in - local at 5, pooled, {way}: {mean:+.3f} [{low:+.3f}, {high:+.3f}] (paired bootstrap, 95 %), "
        f"{kept} {NEAR_ENOUGH}."
    )
