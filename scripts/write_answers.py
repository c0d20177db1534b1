"""Ask the sample documents ten questions and write the unedited answers to docs/answers.md: `make answers`.

The search results are stored next to the page, so that the answers can be composed again without the embedding model:
`python scripts/write_answers.py --again`.
"""

from __future__ import annotations

import io
import json
import logging
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import anyio
import structlog
from PIL import Image

from corpus.access import ANONYMOUS
from corpus.embedding import choose
from corpus.embedding.protocol import Embedder
from corpus.index.local import LocalIndex
from corpus.ingestion.background_embedding import embed_pending
from corpus.ingestion.ingest import Ingestion
from corpus.ingestion.report import Silence
from corpus.library import Library
from corpus.readers.sandbox.pool import READABLE, ReadingProcesses, reader_version
from corpus.search import Hit, Listing
from corpus.synthesis.compose import Composed, compose, material
from corpus.synthesis.evidence import evidence
from corpus.synthesis.extractive.candidates import embedded_text
from corpus.synthesis.query_similarity import QuerySimilarity
from corpus.synthesis.request import SynthesisRequest
from corpus.synthesis.retrieval import gather
from corpus.synthesis.sources import number_sources

SAMPLES = Path("examples/documents").absolute()
PAGE = Path("docs/answers.md")
PICTURES = Path("docs/answers")
FOUND = PICTURES / "found.json"
WIDTH = 520
QUESTIONS = {
    "English": (
        "How does the XYZ pump work?",
        "How often must the safety valve be tested, and how?",
        "Which error codes can the pump controller show?",
        "How do I remove the rotating unit?",
        "What are the differences between the Q1, Q2 and Q3 reports of Project Titan on the budget?",
    ),
    "German": (
        "Welche Werkzeuge brauche ich für die Wartung?",
        "Wie wird die Gleitringdichtung ausgebaut?",
        "Wann muss die Gleitringdichtung gewechselt werden?",
        "Wie wird die Kupplung ausgerichtet?",
        "Welche Wartungsarbeiten sind alle 4000 Stunden fällig?",
    ),
}
HEAD = """\
# Answers without a model

`rag_synthesize` and `ibid ask` answer like this if no model writes: with sentences, steps, tables and figures of the
documents, each with its source. `make answers` writes this page from the [sample documents](../examples/documents).
"""

Hits = list[tuple[str, str, float]]
"""The file, the position of the block in the file, and the score of each hit."""
Found = dict[str, tuple[Hits, dict[str, float]]]
"""The hits for each question, and the cosine similarity between the question and each text that could answer it."""


def main() -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    PICTURES.mkdir(parents=True, exist_ok=True)
    again = "--again" in sys.argv
    embedder = None if again else choose("packaged")
    if not (again or embedder):
        raise SystemExit("The packaged model does not run on this machine; compose what is found --again.")
    with tempfile.TemporaryDirectory() as folder:
        index = LocalIndex.open(Path(folder), embedder)
        found, answers = anyio.run(asked, index, embedder)
    PAGE.write_text(page(answers), encoding="utf-8")
    FOUND.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"{PAGE}: {len(answers)} answers, {sum(len(one.sources) for one in answers.values())} sources")


async def asked(index: LocalIndex, embedder: Embedder | None) -> tuple[Found, dict[str, Composed]]:
    """Return the search results and the answer for each question, and save the pictures. Without an embedder, use the
    stored search results."""
    await ingested(index)
    library = Library(index, None)
    before: Found = {} if embedder else json.loads(FOUND.read_text(encoding="utf-8"))
    if embedder:
        await embed_pending(index, embedder, Silence(), 0)
    found: Found = {}
    answers = {}
    for query in (query for queries in QUESTIONS.values() for query in queries):
        if embedder:
            known = await evidence(await gather(SynthesisRequest(query), library, ANONYMOUS), QuerySimilarity(embedder))
            hits = known.retrieval.hits
            cosines = {
                embedded_text(each): round(each.cosine, 4)
                for each in known.material.candidates
                if each.cosine and not each.is_foreign
            }
            cosines = {text: cosines[text] for text in known.material.to_embed if text in cosines}
        else:
            rows, cosines = before[query]
            hits = await found_before(library, rows)
        found[query] = ([(hit.document.filename, place(hit), round(hit.score, 6)) for hit in hits], cosines)
        answers[query] = composed(query, hits, cosines)
        for source in answers[query].sources:
            if source.hit and source.hit.block.block_type == "image":
                await save(library, source.hit)
    await library.aclose()
    return found, answers


async def ingested(index: LocalIndex) -> None:
    """Ingest the sample documents for keyword search."""
    async with ReadingProcesses() as reading:
        ingestion = Ingestion(
            index, reading, readable=READABLE, reader_version=reader_version(), progress=Silence(), at_once=2
        )
        await ingestion.run([SAMPLES])


async def found_before(library: Library, rows: Sequence[tuple[str, str, float]]) -> tuple[Hit, ...]:
    """Return the hits of stored search results, without searching."""
    listed = await library.list_documents(Listing(), ANONYMOUS)
    ids = {document.filename: document.doc_id for document in listed.documents}
    blocks = await library.blocks([f"{ids[file]}-{place}" for file, place, _ in rows], ANONYMOUS)
    scored = zip(blocks, rows, strict=True)
    return tuple(replace(hit, score=score, score_kind="hybrid") for hit, (_, _, score) in scored)


def place(hit: Hit) -> str:
    """Return the block's position within its file, which does not depend on the location of the file."""
    return hit.block.block_id.removeprefix(f"{hit.block.doc_id}-")


def composed(query: str, hits: Sequence[Hit], cosines: Mapping[str, float]) -> Composed:
    return compose(query, material(query, number_sources(hits)).with_cosines(cosines))


def page(answers: Mapping[str, Composed]) -> str:
    parts = [HEAD]
    for language, queries in QUESTIONS.items():
        parts.append(f"## {language}\n")
        for query in queries:
            shown = re.sub(r"\]\(rag://blocks/([^)]+)/image\)", _picture, answers[query].answer)
            parts.append("\n".join(f"> {line}" if line else ">" for line in shown.split("\n")) + "\n")
    return "\n".join(parts)


def _picture(found: re.Match[str]) -> str:
    return f"](answers/{picture_name(found[1])})"


def picture_name(block_id: str) -> str:
    """Return the picture's file name, without the digits that depend on the file's location on this machine."""
    return re.sub(r"-[0-9a-f]{8}(-p\d+-)", r"\1", block_id) + ".png"


async def save(library: Library, hit: Hit) -> None:
    picture = await library.picture(hit.block.block_id, ANONYMOUS)
    image = Image.open(io.BytesIO(picture.data)).convert("RGB")
    if image.width > WIDTH:
        image = image.resize((WIDTH, round(image.height * WIDTH / image.width)), Image.Resampling.LANCZOS)
    image.quantize(32).save(PICTURES / picture_name(hit.block.block_id), optimize=True)


if __name__ == "__main__":
    main()
