"""Questions that the development sets hardly contain: comparisons of two documents, and questions about a figure. Also
all questions of the sets again, with a second version of every document."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.lines import Line
from bench.measures import Result, first, hit_at
from bench.methods import PLAIN, Method
from bench.questions import Question
from corpus.index.local import LocalIndex
from corpus.index.protocol import NewBlock

COMPARING = Path(__file__).with_name("comparing.jsonl")
COPY = "Copy of "
BLOCKS = (3, 5, 10)


@dataclass(frozen=True)
class Comparison:
    """A question about two documents, with their file names."""

    text: str
    docs: frozenset[str]


def comparisons() -> list[Comparison]:
    rows = [json.loads(line) for line in COMPARING.read_text(encoding="utf-8").splitlines()]
    return [Comparison(row["question"], frozenset(row["docs"])) for row in rows]


async def comparison_lines(methods: Mapping[str, Method]) -> list[Line]:
    """Return how often both documents are among the first blocks."""
    asked = comparisons()
    named = {
        method: [[result.doc for result in await finder.find(one.text)] for one in asked]
        for method, finder in methods.items()
    }
    lines = []
    for cut in BLOCKS:
        shares = {
            method: sum(one.docs <= set(docs[:cut]) for one, docs in zip(asked, found, strict=True)) / len(asked)
            for method, found in named.items()
        }
        lines.append(Line("Questions that compare two documents", "development", len(asked), f"both@{cut}", shares))
    return lines


async def figure_lines(asked: Sequence[Question], methods: Mapping[str, Method]) -> list[Line]:
    """Return how often a figure on a correct page is among the ten best blocks. A method without figures can find only
    the page."""
    found = {method: [(await finder.find(one.text))[:10] for one in asked] for method, finder in methods.items()}
    sets = {one.set_name: [n for n, q in enumerate(asked) if q.set_name == one.set_name] for one in asked}
    lines = []
    for group, places in {**sets, "pooled": list(range(len(asked)))}.items():
        for measure, figures_only in (("figure@10", True), ("its page@10", False)):
            shares = {
                method: sum(_shows(asked[n], results[n], figures_only) for n in places) / len(places)
                for method, results in found.items()
            }
            lines.append(Line("Questions that a figure answers", group, len(places), measure, shares))
    return lines


def _shows(question: Question, results: Sequence[Result], figures_only: bool) -> bool:
    return any(
        one.doc == question.doc and one.page in question.pages and (one.is_image or not figures_only) for one in results
    )


async def version_lines(asked: Sequence[Question], methods: Mapping[str, Method]) -> list[Line]:
    """Return the results for ten blocks from an index created by `with_versions`. The plain method is queried on an
    index without versions, and its ranks are doubled, because it would find each page twice."""
    ranks: dict[str, list[int | None]] = {}
    for method, finder in methods.items():
        found = [either((await finder.find(one.text))[:10], one) for one in asked]
        ranks[method] = [rank and 2 * rank - 1 for rank in found] if method == PLAIN else found
    thing = "Every document in two versions that say the same"
    return [
        Line(
            thing,
            "development",
            len(asked),
            f"page@{cut} in either",
            {m: hit_at(r, cut) for m, r in ranks.items()},
        )
        for cut in BLOCKS
    ]


async def with_versions(folder: Path, place: Path) -> Path:
    """Return a copy of the index with a copy of every document under another name. Vectors are stored by the text of a
    passage, so no new vector is computed."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(folder, place)
    index = LocalIndex.open(place, None)
    for one in await index.all_documents():
        whole = await index.whole(one.doc_id)
        path, name = COPY + one.source_path, COPY + one.filename
        copy = replace(whole.document, doc_id=f"copy-{one.doc_id}", filename=name, source_path=path)
        blocks = [
            NewBlock(replace(block, block_id=f"copy-{block.block_id}", doc_id=copy.doc_id)) for block in whole.blocks
        ]
        await index.replace(copy, blocks)
    await index.aclose()
    return place


def either(results: Sequence[Result], question: Question) -> int | None:
    """Return the rank, among distinct pages of distinct files, of a correct page in either version."""
    pages = dict.fromkeys((result.doc, result.page) for result in results)
    return first([name.removeprefix(COPY) == question.doc and page in question.pages for name, page in pages])
