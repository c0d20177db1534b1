"""Measure how often the right page is found, compared with a plain method: `python -m bench retrieval [--write]`.

Every question is asked about all documents of its part (`parts.py`) and about its document alone, with a plain method
(`plain.py`), with keyword search, with vectors and with both. A page has the rank of its best block; a question in the
set `mixed` is answered by a block instead. Questions without an answer, rare words, and the questions of `places.py`
and `probes.py` follow. `--set FIELD=VALUE`, which may be repeated, compares rankings with other values instead of
methods. FIELD is a field of `Ranking`, as in `context=0`; separate several changes of one ranking by commas.

The first run reads and embeds every document, which takes half an hour; later runs take minutes.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio
import structlog

from bench.corpus_index import kept_vectors
from bench.grounding.measures import auroc
from bench.kept_vectors import KeptVectors
from bench.lines import Line, Ranks, by_method, by_set
from bench.measures import answering, rank_of
from bench.methods import Method, blocks_of, methods_of
from bench.parts import DEVELOPMENT, Part, index_of, parts
from bench.places import place_questions
from bench.probes import comparison_lines, figure_lines, version_lines, with_versions
from bench.questions import Question, corpora, crossing_questions, figure_questions
from bench.rare_words import rare_word_lines
from bench.reports import keep
from corpus.index.local.ranking import Ranking

RESULTS = Path(__file__).with_name("results") / "retrieval.md"
EXPLAINED = """Shares of questions. `hit@5`: the right page is among the first five pages; for `mixed` the right block
among the first five blocks. `plain`: passages of 120 words, BM25 and the packaged embedder, min-max and added .3 to .7.
The last column is the difference with its 95 % interval (paired bootstrap)."""


@dataclass
class Asked:
    """The results of all parts."""

    together: Ranks = field(default_factory=Ranks)
    given: Ranks = field(default_factory=Ranks)
    crossing: Ranks = field(default_factory=Ranks)
    places: Ranks = field(default_factory=Ranks)
    places_given: Ranks = field(default_factory=Ranks)
    answerable: list[Line] = field(default_factory=list)
    rare: list[Line] = field(default_factory=list)
    probes: list[Line] = field(default_factory=list)

    def lines(self) -> list[Line]:
        near = "A right page or one beside it"
        return [
            *self.together.lines("All documents together"),
            *self.given.lines("The document given"),
            *self.together.lines(f"{near}, all documents together", "near", "within_one"),
            *self.given.lines(f"{near}, the document given", "near", "within_one"),
            *self.together.lines("The right document", "doc", "document", (1, 5)),
            *self.answerable,
            *self.rare,
            *self.places.lines("Questions that name a place, all documents together"),
            *self.places_given.lines("Questions that name a place, the document given"),
            *self.crossing.lines("Questions in another language than the page"),
            *self.probes,
        ]


async def main(arguments: argparse.Namespace) -> None:
    folder = corpora()
    rankings = rankings_of(arguments.set)
    asked = Asked()
    with kept_vectors() as embedder:
        for part in parts(folder, check=arguments.check, names=arguments.parts):
            index = await index_of(part, folder, arguments.indexes, embedder)
            async with methods_of(part, index, embedder, rankings) as methods:
                await _ask(part, index, methods, asked)
            if part.name == DEVELOPMENT:
                asked.probes += await _versions(part, index, embedder, rankings)
    text = (by_set if rankings else by_method)(asked.lines())
    print(text)
    if arguments.write:
        keep(RESULTS, f"# Retrieval\n\n{EXPLAINED}\n\n{text}\n", "python -m bench retrieval --write")


def rankings_of(changes: Sequence[str]) -> dict[str, Ranking]:
    """Return the default ranking, and another one for each change. A change is `field=value`, or several of these
    separated by commas. Without changes, the result is empty."""
    if not changes:
        return {}
    return {"default": Ranking()} | {change: _changed(Ranking(), change) for change in changes}


def _changed(ranking: Ranking, change: str) -> Ranking:
    for pair in change.split(","):
        name, _, value = pair.partition("=")
        ranking = _with(ranking, name.strip().split("."), ast.literal_eval(value.strip()))
    return ranking


def _with(owner: Any, path: Sequence[str], value: object) -> Any:
    """Return a copy of the frozen object in which the field at the end of the path has this value."""
    name, *rest = path
    return replace(owner, **{name: _with(getattr(owner, name), rest, value) if rest else value})


async def _ask(part: Part, index: Path, methods: Mapping[str, Method], asked: Asked) -> None:
    await _answers(part, methods, asked)
    asked.rare += await rare_word_lines(part.name, await blocks_of(index), methods)
    sets = {part.name, *(question.set_name for question in part.questions)}
    for question in place_questions(sets):
        await _rank(question, methods, asked.places)
        await _rank(question, methods, asked.places_given, question.doc)
    if part.name == DEVELOPMENT:
        for question in crossing_questions():
            await _rank(question, methods, asked.crossing)
        asked.probes += await figure_lines(figure_questions(corpora()), methods)
        asked.probes += await comparison_lines(methods)


async def _answers(part: Part, methods: Mapping[str, Method], asked: Asked) -> None:
    """Ask every question once in each way, to get the rank of the correct page and the score of the best hit."""
    together = [(q, await _rank(q, methods, asked.together)) for q in part.questions]
    given = [(q, await _rank(q, methods, asked.given, q.doc)) for q in part.questions if q.doc]
    asked.answerable += _areas(f"{part.name}, all documents together", together)
    asked.answerable += _areas(f"{part.name}, the document given", given)


async def _rank(
    question: Question, methods: Mapping[str, Method], ranks: Ranks, doc: str | None = None
) -> dict[str, float]:
    """Add the ranks if the question has a correct answer. Return the score of each method's best hit."""
    found = {name: await method.find(question.text, doc) for name, method in methods.items()}
    if question.answerable and (question.pages or question.patterns):
        right = {name: rank_of(question, results, answering(question, methods[name].passages))
                 for name, results in found.items()}  # fmt: skip
        ranks.add(question, right)
    return {name: results[0].score if results else 0.0 for name, results in found.items()}


def _areas(group: str, scored: Sequence[tuple[Question, Mapping[str, float]]]) -> list[Line]:
    """Return how well the best hit's score distinguishes questions with an answer from those without. The result is
    empty if all have an answer."""
    true = [question.answerable for question, _ in scored]
    if all(true):
        return []
    values = {method: auroc([scores[method] for _, scores in scored], true).value for method in scored[0][1]}
    return [Line("Answerable or not, by the best hit's score", group, len(true), "AUROC", values)]


async def _versions(part: Part, index: Path, embedder: KeptVectors, rankings: Mapping[str, Ranking]) -> list[Line]:
    place = await with_versions(index, index.with_name("versions"))
    async with methods_of(part, place, embedder, rankings) as methods:
        return await version_lines(part.questions, methods)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="bench retrieval", description=__doc__.split("\n", 1)[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help="as mixed or mmlong-tune; all without")
    parser.add_argument("--write", action="store_true", help=f"also write bench/results/{RESULTS.name}")
    parser.add_argument("--indexes", type=Path, help="a folder with ready indexes, each named as its part")
    parser.add_argument("--check", action="store_true", help="also the parts that are for a last look")
    parser.add_argument(
        "--set", action="append", default=[], metavar="FIELD=VALUE", help="compare rankings, not methods"
    )
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    given = parser.parse_args()
    anyio.run(lambda: main(given))
