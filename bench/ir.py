"""Measure the ranking within and across languages: `python -m bench ir [NAME …] [--write] [--every N] [--whole]`.

It reports nDCG@10 (Järvelin and Kekäläinen 2002) for keyword search, for vectors and for both, in each collection of
`ir_sets.py` and for each pair of question and passage languages. The first run embeds about 1,500 passages, which takes
half an hour on one core. The vectors of passages and questions are cached by text, so that later runs take only
minutes.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path

import anyio

from bench.ir_sets import Asked, Collection, Passage, collections
from bench.kept_vectors import KeptVectors
from bench.questions import corpora
from bench.reports import keep
from bench.tables import table
from corpus.access import ANONYMOUS
from corpus.documents.block import Block
from corpus.documents.document import Document
from corpus.embedding import choose
from corpus.index.local import LocalIndex
from corpus.index.local.ranking import Ranking
from corpus.index.protocol import NewBlock
from corpus.search import Search

FOLDER = Path(".bench/ir")
RESULTS = Path(__file__).with_name("results") / "ir.md"
CUT = 10
PASSAGES_A_DOCUMENT = 100
"""Number of passages per document. There are many, because a change of the index costs as much for one passage as for
many."""

RANKINGS = {
    "lexical": Ranking(),
    "vector": Ranking(words=0.0, rare=0),
    "hybrid": Ranking(),
}


async def main(folder: Path, *, write: bool, every: int, whole: bool, names: Sequence[str]) -> None:
    """Run the bench. It asks one in `every` questions. `names` selects the collections; if it is empty, all are
    used."""
    rows = []
    packaged = choose("packaged")
    assert packaged is not None
    with KeptVectors(packaged, FOLDER / "vectors.sqlite") as embedder:
        for collection in collections(folder / "ir", every=every, whole=whole):
            if names and collection.name not in names:
                continue
            place = await filled(collection, embedder)
            measured = {way: await _measured(place, collection, embedder, way) for way in RANKINGS}
            for pair, questions in collection.groups.items():
                cells = [f"{measured[way][pair]:.3f}" for way in RANKINGS]
                rows.append([collection.name, pair, str(len(questions)), *cells])
                print(" | ".join(rows[-1]), flush=True)
    text = table(["collection", "question -> passage", "questions", *RANKINGS], rows)
    if write:
        title = f"# Ranking within and across languages, nDCG@{CUT}"
        asked = "every question" if every == 1 else f"the first of every {every} questions"
        command = "python -m bench ir --write" + (f" --every {every}" if every > 1 else "")
        keep(RESULTS, f"{title}\n\nAsked: {asked}.\n\n{text}\n", command)


async def filled(collection: Collection, embedder: KeptVectors) -> Path:
    """Return the folder of an index of the collection with its vectors. Create the index if it does not exist yet."""
    place = FOLDER / collection.name.replace(", ", "-").replace(" ", "-")
    index = LocalIndex.open(place, embedder)
    there = {document.doc_id for document in await index.all_documents()}
    for document, blocks in _documents(collection.passages):
        if document.doc_id not in there:
            await index.replace(document, blocks)
    while pending := await index.pending(256):
        vectors = await embedder.passages([one.text for one in pending])
        await index.store_vectors([one.block_id for one in pending], vectors)
    await index.aclose()
    return place


def _documents(passages: Sequence[Passage]) -> list[tuple[Document, list[NewBlock]]]:
    """Return the passages as documents. Each document is in a single language and has no title, so that only the
    passages are searched."""
    found = []
    for language in dict.fromkeys(one.language for one in passages):
        mine = [one for one in passages if one.language == language]
        for at in range(0, len(mine), PASSAGES_A_DOCUMENT):
            doc_id = f"{language}-{at}"
            document = Document(doc_id=doc_id, filename="", title="", language=language, access_control_list=("*",))
            some = enumerate(mine[at : at + PASSAGES_A_DOCUMENT])
            found.append((document, [_block(one, doc_id, n) for n, one in some]))
    return found


def _block(passage: Passage, doc_id: str, n: int) -> NewBlock:
    return NewBlock(Block(block_id=passage.key, doc_id=doc_id, block_type="text", content=passage.text, chunk_number=n))


async def _measured(place: Path, collection: Collection, embedder: KeptVectors, way: str) -> dict[str, float]:
    """Return the mean nDCG by pair of languages."""
    index = LocalIndex.open(place, None if way == "lexical" else embedder, ranking=RANKINGS[way])
    means = {}
    for pair, questions in collection.groups.items():
        total = 0.0
        for asked in questions:
            hits = (await index.find(Search(asked.text, CUT), ANONYMOUS)).hits
            total += ndcg(asked, [hit.block.block_id for hit in hits])
        means[pair] = total / len(questions)
    await index.aclose()
    return means


def ndcg(asked: Asked, ranked: Sequence[str]) -> float:
    """Return the nDCG for binary judgements: the gain of the ranking divided by the gain of the best possible order."""
    gained = sum(1 / math.log2(place + 1) for place, key in enumerate(ranked[:CUT], 1) if key in asked.right)
    best = sum(1 / math.log2(place + 1) for place in range(1, min(CUT, len(asked.right)) + 1))
    return gained / best


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("names", nargs="*", help="collections, all where none is named")
    parser.add_argument("--write", action="store_true", help=f"also write bench/results/{RESULTS.name}")
    parser.add_argument("--every", type=int, default=1, help="ask only every so many of the questions")
    parser.add_argument("--whole", action="store_true", help="SciFact with all its abstracts")
    given = parser.parse_args()
    anyio.run(lambda: main(corpora(), write=given.write, every=given.every, whole=given.whole, names=given.names))
