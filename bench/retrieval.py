"""How often the right page is found: `python -m bench.retrieval [--write]`.

One index over all development corpora, every question asked three ways: by words, by vectors, by both. Prints
page-hit (exact and within one page), document-hit and MRR by set and language, the difference between hybrid
and lexical with its bootstrap interval, how many figure questions find their figure, and the same measures for
questions in another language than the page; then the questions
of `probes.py`. The first run embeds every passage, which takes minutes; later runs take seconds.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import anyio

from bench.corpus_index import WAYS, answers, ingested
from bench.measures import CUTS, Rank, hit_at, paired_interval, ranked, reciprocal
from bench.probes import code_questions, compared, comparisons, either, with_versions
from bench.questions import Question, corpora, crossing_questions, figure_questions, questions
from bench.reports import keep
from bench.tables import groups, table
from corpus.fusion import DEFAULT
from corpus.index.local.ranking import Ranking
from corpus.search import Hit

DEPTH = 50
"""Blocks asked for, so that ten distinct pages are there."""
RESULTS = Path(__file__).with_name("results") / "retrieval.md"

Ranks = dict[str, list[Rank]]


async def main(folder: Path, *, write: bool) -> None:
    asked, crossing, figures = questions(folder), crossing_questions(), figure_questions(folder)
    index = await ingested(folder)
    ranks, abroad = await _ranks(index, asked), await _ranks(index, crossing)
    shown = {way: await answers(index, way, [q.text for q in figures], 10) for way in WAYS}
    other = f"Questions in another language than the page\n\n{_pages(crossing, abroad)}"
    parts = [_pages(asked, ranks), _differences(asked, ranks), _figures(figures, shown), other]
    text = "\n\n".join(
        [*parts, await _codes(index), await _comparisons(index), await _versions(index, asked)]
    )
    print(text)
    if write:
        keep(
            RESULTS,
            f"# Retrieval on the development corpora\n\n{text}\n",
            "python -m bench retrieval --write",
        )


async def _ranks(index: Path, asked: Sequence[Question]) -> Ranks:
    hits = {way: await answers(index, way, [q.text for q in asked], DEPTH) for way in WAYS}
    return {way: [ranked(q, h) for q, h in zip(asked, hits[way], strict=True)] for way in WAYS}


def _pages(asked: Sequence[Question], ranks: Ranks) -> str:
    head = ["set", "language", "questions", "ranked by"]
    head += (
        [f"page@{cut}" for cut in CUTS] + [f"within one@{cut}" for cut in CUTS] + ["doc@1", "doc@5", "MRR"]
    )
    rows = []
    for name, language, chosen in groups(asked):
        for way in WAYS:
            mine = [ranks[way][n] for n in chosen]
            exact, near, doc = (
                [getattr(r, kind) for r in mine] for kind in ("exact", "within_one", "document")
            )
            cells = [*(hit_at(exact, c) for c in CUTS), *(hit_at(near, c) for c in CUTS)]
            cells += [hit_at(doc, 1), hit_at(doc, 5), reciprocal(exact)]
            rows.append([name, language, str(len(chosen)), way, *(f"{cell:.2f}" for cell in cells)])
    return table(head, rows)


def _differences(asked: Sequence[Question], ranks: Ranks) -> str:
    """Hybrid against lexical, pooled with its interval, and questions won or lost by set."""
    lines = []
    for cut in (1, 5):
        ours, theirs = ([rank.exact for rank in ranks[way]] for way in ("hybrid", "lexical"))
        mean, low, high = paired_interval(ours, theirs, cut)
        lines.append(
            f"Hybrid - lexical at {cut}, pooled: {mean:+.3f} [{low:+.3f}, {high:+.3f}] (paired bootstrap, 95 %)"
        )
    rows = []
    for name, language, chosen in groups(asked):
        won = []
        for cut in (1, 5):
            counts = [
                sum(1 for n in chosen if (r := ranks[w][n].exact) and r <= cut) for w in ("lexical", "hybrid")
            ]
            won += [f"{counts[1] - counts[0]:+d}"]
        rows.append([name, language, *won])
    return (
        "\n".join(lines)
        + "\n\n"
        + table(["set", "language", "questions won at 1", "questions won at 5"], rows)
    )


def _figures(asked: Sequence[Question], shown: dict[str, list[tuple[Hit, ...]]]) -> str:
    """An image block of a right page among the ten best blocks."""
    rows = []
    sets = {one.set_name: [n for n, q in enumerate(asked) if q.set_name == one.set_name] for one in asked}
    for name, chosen in {**sets, "pooled": list(range(len(asked)))}.items():
        for way in WAYS:
            found = sum(1 for n in chosen if any(_is_figure(asked[n], hit) for hit in shown[way][n]))
            rows.append([name, way, f"{found} of {len(chosen)}"])
    return table(["figure questions", "ranked by", "figure in the ten best blocks"], rows)


async def _codes(index: Path) -> str:
    """With and without the weight that codes in a question give to words."""
    asked = await code_questions(index)
    rows = []
    plain = Ranking(fusion=replace(DEFAULT, codes=0.0))
    for way, ranking in (("lexical", None), ("hybrid, codes as other words", plain), ("hybrid", None)):
        hits = await answers(index, way.partition(",")[0], [q.text for q in asked], DEPTH, ranking)
        exact = [ranked(q, h).exact for q, h in zip(asked, hits, strict=True)]
        for name in dict.fromkeys(q.set_name for q in asked):
            mine = [rank for q, rank in zip(asked, exact, strict=True) if q.set_name == name]
            rows.append([name, str(len(mine)), way, *(f"{hit_at(mine, cut):.2f}" for cut in CUTS)])
    head = ["questions for", "questions", "ranked by", *(f"page@{cut}" for cut in CUTS)]
    title = "Questions for an identifier that stands on one page, or for a section by its number"
    return f"{title}\n\n{table(head, rows)}"


async def _comparisons(index: Path) -> str:
    asked, rows = comparisons(), []
    for way, ranking in (("as other questions", Ranking(spread=1.0)), ("spread over documents", None)):
        hits = await answers(index, "hybrid", [q.text for q in asked], 10, ranking)
        both = [sum(compared(q, h, cut) for q, h in zip(asked, hits, strict=True)) for cut in (3, 5, 10)]
        rows.append([way, *(f"{count} of {len(asked)}" for count in both)])
    head = ["comparisons", *(f"both documents in the first {cut} blocks" for cut in (3, 5, 10))]
    return f"Questions that compare two documents\n\n{table(head, rows)}"


async def _versions(index: Path, asked: Sequence[Question]) -> str:
    place, rows = await with_versions(index, index.with_name("versions")), []
    for way, ranking in (("repeats as they come", Ranking(once=False)), ("repeats behind other pages", None)):
        hits = await answers(place, "hybrid", [q.text for q in asked], 10, ranking)
        ranks = [either(h, q) for q, h in zip(asked, hits, strict=True)]
        rows.append([way, *(f"{hit_at(ranks, cut):.2f}" for cut in CUTS)])
    head = ["ten blocks", *(f"page@{cut}, in either version" for cut in CUTS)]
    return f"Every document in two versions that say the same\n\n{table(head, rows)}"


def _is_figure(question: Question, hit: Hit) -> bool:
    right = hit.document.filename == question.doc and hit.block.page_number in question.pages
    return right and hit.block.block_type == "image"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--write", action="store_true", help=f"also write bench/results/{RESULTS.name}")
    arguments = parser.parse_args()
    anyio.run(lambda: main(corpora(), write=arguments.write))
