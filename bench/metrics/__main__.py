"""Measure the product's success metrics, as far as a machine can: `python -m bench metrics [--write]`.

The example agent answers questions over the development corpora with a scripted model that plans, searches, synthesizes
and verifies; each run starts its own server. The script makes a model's decisions (which tool, when to ask), so the
bench measures the server's part. Another script writes answers itself, omits every tenth citation, and corrects the
claims that the check reports. The searches over 100,000 blocks are those of `bench stdio`.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from unittest.mock import patch

import anyio
import structlog

from bench.corpus_index import ingested
from bench.metrics.report import FAILED, report
from bench.metrics.runs import run
from bench.metrics.waiting import searches, starts
from bench.questions import corpora, figure_questions, questions
from bench.reports import keep

COMMAND = "python -m bench metrics --write"
RESULTS = Path(__file__).parents[1] / "results" / "metrics.md"
EVERY = 3
"""Step between the questions that are asked. It applies to the questions of the development corpora and to those about
figures."""


async def main(every: int, folder: Path, *, words: bool, write: bool) -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    place = corpora()
    index = await ingested(place, embedded=not words)
    asked = [*questions(place)[::every], *figure_questions(place)[::every]]
    load = os.getloadavg()[0]
    settings = {"RAG_DATA_DIR": str(index.absolute()), "RAG_LOG_LEVEL": "WARNING"}
    with patch.dict(os.environ, settings | ({"RAG_EMBEDDER": "none"} if words else {})):
        runs = [await run(one.text) for one in asked]
        wrote = [await run(one.text, writes=True) for one in asked[::EVERY]]
    ways = "words alone" if words else "words and vectors"
    told = f"Questions are found by {ways}. Load {load:.1f} at the beginning."
    text = f"{report(runs, wrote, searches(folder), starts())}\n\n{told}"
    print(text)
    for one in (*runs, *wrote):
        for failure in one.failures:
            print(FAILED.format(failure))
    if write:
        command = f"{COMMAND} --every {every}{' --words' if words else ''}"
        keep(RESULTS, f"# Success metrics\n\n{text}\n", command)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(prog="bench metrics", description=__doc__)
    arguments.add_argument("--write", action="store_true")
    arguments.add_argument("--every", type=int, default=EVERY, help="take each so many-th question")
    arguments.add_argument("--folder", type=Path, default=Path(".bench/search"), help="of the 100,000 blocks")
    arguments.add_argument("--words", action="store_true", help="questions are found by words alone")
    chosen = arguments.parse_args()
    anyio.run(lambda: main(chosen.every, chosen.folder, words=chosen.words, write=chosen.write))
