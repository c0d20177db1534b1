"""How well answers without a model cite: `python -m bench.answers [--write]`.

Every question over the development corpora, found by words and by both ways, composed in both styles. Prints how many
citations do not resolve and how many claims stand without one; whether a right page is among the five pages that an
answer cites at most, beside the first five pages of the search that fed it; and what composing costs.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import anyio

from bench.corpus_index import ingested
from bench.measures import Rank, hit_at, ranked
from bench.questions import Question, corpora, questions
from bench.reports import keep
from bench.tables import groups, table
from corpus.access import ANONYMOUS
from corpus.citing.reading import read_citations
from corpus.embedding import chosen
from corpus.index.local import LocalIndex
from corpus.library import Library
from corpus.search import Hit
from corpus.synthesis.checking import citable
from corpus.synthesis.compose import Composed, compose
from corpus.synthesis.request import CitationStyle
from corpus.synthesis.sources import numbered
from corpus.text import token_estimate

WAYS = ("lexical", "hybrid")
TOP_K = 10
PAGES = 5
COMMAND = "python -m bench answers --write"
RESULTS = Path(__file__).with_name("results") / "answers.md"


@dataclass(frozen=True)
class Answered:
    """`found` is what the search gave, `milliseconds` what composing took of the processor."""

    question: Question
    found: tuple[Hit, ...]
    composed: Composed
    milliseconds: float

    @property
    def cited(self) -> tuple[Hit, ...]:
        return tuple(source.hit for source in self.composed.sources if source.hit)


async def main(folder: Path, *, write: bool) -> None:
    asked = questions(folder)
    index = await ingested(folder)
    parts = []
    for way in WAYS:
        for style in get_args(CitationStyle):
            answers = await answered(index, way, asked, style)
            parts.append(
                f"## Found by {'words' if way == 'lexical' else 'both'}, cited by {style}\n\n{_citing(answers)}"
            )
        parts.append(_pages(answers))
    text = "\n\n".join(parts)
    print(text)
    if write:
        keep(RESULTS, f"# Answers without a model on the development corpora\n\n{text}\n", COMMAND)


async def answered(folder: Path, way: str, asked: Sequence[Question], style: CitationStyle) -> list[Answered]:
    index = LocalIndex.open(folder, None if way == "lexical" else chosen("packaged"))
    library = Library(index, None)
    answers = []
    for one in asked:
        found = (await library.search(one.text, ANONYMOUS, top_k=TOP_K)).hits
        sources = numbered(await library.illustrated(found, ANONYMOUS))
        start = time.process_time()
        composed = compose(one.text, sources, style=style)
        answers.append(Answered(one, found, composed, (time.process_time() - start) * 1000))
    await library.aclose()
    return answers


def _citing(answers: Sequence[Answered]) -> str:
    claims = uncited = unresolved = 0
    for one in answers:
        sources = [citable(source) for source in one.composed.sources]
        read = read_citations(one.composed.answer, sources, one.question.language)
        claims += len(read.claims)
        uncited += len(read.uncited)
        unresolved += len(read.invalid)
    lengths = sorted(token_estimate(one.composed.answer) for one in answers)
    costs = sorted(one.milliseconds for one in answers)
    return (
        f"{len(answers)} answers, {claims} claims: {unresolved} citations do not resolve, {uncited} claims have none. "
        f"Tokens: {lengths[len(lengths) // 2]} in the middle, {lengths[0]} to {lengths[-1]}. "
        f"Composing: {costs[len(costs) // 2]:.0f} ms in the middle, {costs[-1]:.0f} ms at most."
    )


def _pages(answers: Sequence[Answered]) -> str:
    """Where a right page stands: among what the search found, and among what the answer cites."""
    search = [ranked(one.question, one.found) for one in answers]
    cited = [ranked(one.question, one.cited) for one in answers]
    head = ["set", "language", "questions", "of", "page@1", f"page@{PAGES}", f"within one@{PAGES}"]
    rows = []
    for name, language, chosen_ones in groups([one.question for one in answers]):
        for label, ranks in (("search", search), ("answer", cited)):
            mine = [ranks[n] for n in chosen_ones]
            rows.append([name, language, str(len(mine)), label, *_cells(mine)])
    most = max(len({(hit.block.doc_id, hit.block.page_number) for hit in one.cited}) for one in answers)
    return f"{table(head, rows)}\n\nNo answer cites more than {most} pages."


def _cells(ranks: Sequence[Rank]) -> list[str]:
    exact, near = [one.exact for one in ranks], [one.within_one for one in ranks]
    return [f"{share:.2f}" for share in (hit_at(exact, 1), hit_at(exact, PAGES), hit_at(near, PAGES))]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--write", action="store_true", help=f"also write bench/results/{RESULTS.name}")
    arguments = parser.parse_args()
    anyio.run(lambda: main(corpora(), write=arguments.write))
