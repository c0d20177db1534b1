"""Measure CPU time of an answer without a model over twenty blocks of the sample documents: `python -m bench synthesis
[--write]`.

It measures the answer itself, and the check of a text with twenty claims that each cite a different block.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time

from bench.reports import keep
from bench.tables import table
from corpus.documents.block import Block
from corpus.documents.document import Document
from corpus.readers.pdf.reader import read_pdf
from corpus.readers.protocol import ReadBlock
from corpus.search import Hit
from corpus.synthesis.answer import Source
from corpus.synthesis.checking import check_claims
from corpus.synthesis.compose import compose, material
from corpus.synthesis.sources import number_sources
from corpus.text.sentences import sentences

SAMPLE = Path(__file__).parents[1] / "examples" / "documents" / "xyz-pump-technical-manual.pdf"
QUESTION = "How does the XYZ pump work, and how is it maintained?"
COMMAND = "python -m bench synthesis --write"
RESULTS = Path(__file__).with_name("results") / "synthesis.md"
RUNS, BLOCKS = 30, 20


def main() -> None:
    sources = number_sources(_hits())
    made = compose(QUESTION, material(QUESTION, sources), max_tokens=1000)
    long = " ".join(f"{_first(one)} [{one.citation_number}]" for one in sources)
    steps: dict[str, Callable[[], object]] = {
        "compose": lambda: compose(QUESTION, material(QUESTION, sources), max_tokens=1000),
        "check the composed answer": lambda: check_claims(made.answer, made.sources, "en"),
        "compose and check": lambda: check_claims(
            compose(QUESTION, material(QUESTION, sources), max_tokens=1000).answer, made.sources, "en"
        ),
        "check twenty claims over twenty blocks": lambda: check_claims(long, sources, "en"),
    }
    letters = sum(len(one.text) for one in sources)
    costs = table(["step", "median", "greatest"], [[name, *_cost(step)] for name, step in steps.items()])
    what = f"{len(sources)} blocks of {letters:,} letters; CPU ms over {RUNS} runs, goal 100 for compose and check"
    print(f"{what}\n\n{costs}")
    if "--write" in sys.argv[1:]:
        keep(RESULTS, f"# CPU of an answer without a model\n\n{what}\n\n{costs}\n", COMMAND)


def _hits() -> list[Hit]:
    blocks = [one for one in read_pdf(SAMPLE) if isinstance(one, ReadBlock) and one.block_type == "text"]
    longest = sorted(blocks, key=lambda one: -len(one.content))[:BLOCKS]
    document = Document(doc_id="pump", filename=SAMPLE.name, title="Pump")
    return [Hit(_block(one), document, 1 - n / 100, "hybrid") for n, one in enumerate(longest)]


def _block(read: ReadBlock) -> Block:
    return Block(
        block_id=f"pump-{read.place}", doc_id="pump", block_type="text", content=read.content,
        page_number=read.page_number, heading=read.heading, language="en",
    )  # fmt: skip


def _first(source: Source) -> str:
    """Return the last sentence of the source, on one line."""
    start, end = sentences(source.text, "en")[-1]
    return " ".join(source.text[start:end].split())


def _cost(step: Callable[[], object]) -> list[str]:
    step()  # warm-up, loads everything that is loaded lazily
    costs = []
    for _ in range(RUNS):
        started = process_time()
        step()
        costs.append((process_time() - started) * 1000)
    return [f"{median(costs):.1f}", f"{max(costs):.1f}"]


if __name__ == "__main__":
    main()
