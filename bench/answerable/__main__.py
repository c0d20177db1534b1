"""Whether questions without an answer are told from others by what is found: `python -m bench.answerable [--write]`.

The questions of the development corpora and 120 own ones, in the index of `bench.retrieval`, searched with and without
vectors. Prints the ROC curve, the area under it with its interval, and what the point that is built in refuses and
catches: in the half that chose the method, in the other half, and in questions that have chosen nothing.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import anyio

from bench.answerable import report, tried
from bench.answerable.asked import asked
from bench.corpus_index import answers, ingested
from bench.questions import corpora
from bench.reports import keep
from corpus.synthesis.strength import WEAK, evidence

TOP_K = 10
NOTHING = 0.0
"""The strength of a search that finds nothing."""
COMMAND = "python -m bench answerable --write"
RESULTS = Path(__file__).parents[1] / "results" / "answerable.md"


async def main(folder: Path, *, write: bool) -> None:
    questions = asked(folder)
    index = await ingested(folder)
    hits = {
        way: await answers(index, way, [one.text for one in questions], TOP_K)
        for way in ("hybrid", "lexical")
    }
    ways: dict[str, report.Scored] = {}
    for way, found in hits.items():
        strengths = [evidence(one.text, mine) for one, mine in zip(questions, found, strict=True)]
        ways[way] = [
            (one, NOTHING if strength is None else strength)
            for one, strength in zip(questions, strengths, strict=True)
        ]
    parts = {
        "Area under the ROC curve": report.areas(ways),
        "Share caught, by the share of answerable questions refused": report.curves(ways),
        "The threshold, leaving one set out (hybrid, development half)": report.left_out(ways["hybrid"]),
        f"At the point that is built in, strength below {WEAK}": report.at_the_point(ways),
        "The same by kind of question (hybrid, all halves)": report.by_kind(ways["hybrid"]),
        "Refused although there is an answer": report.without_evidence(ways, hits),
        "What else was tried (AUROC, hybrid, development half)": tried.signals(questions, hits["hybrid"]),
    }
    text = "\n\n".join(f"## {title}\n\n{part}" for title, part in parts.items())
    print(text)
    if write:
        keep(RESULTS, f"# Questions without an answer\n\n{text}\n", COMMAND)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--write", action="store_true", help=f"also write bench/results/{RESULTS.name}")
    arguments = parser.parse_args()
    anyio.run(lambda: main(corpora(), write=arguments.write))
