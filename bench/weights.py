"""The weights of the ranking, chosen by cross-validation: `python -m bench.weights [--every N]`.

A fold is a development set, or a collection and pair of languages of `ir.py`. For
each fold the weights that are best on all others are looked up, and what they give on the fold that they have not seen
is printed beside what the present weights give. The choice for all is what is best over all folds, each counted once:
no fold gets weights of its own. The measure is the mean reciprocal rank of the right page, for a collection nDCG@10.

It asks every question with every set of weights, which takes minutes. The indexes are those of the benches `retrieval`
and `ir`, which must have run before.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import anyio
import numpy as np
from numpy.typing import NDArray

from bench.corpus_index import FOLDER
from bench.ir import CUT, ndcg
from bench.ir import FOLDER as COLLECTIONS
from bench.ir_sets import collections
from bench.kept_vectors import KeptVectors
from bench.measures import ranked
from bench.questions import corpora, crossing_questions, questions
from bench.tables import table
from corpus.access import ANONYMOUS
from corpus.embedding import chosen
from corpus.fusion import DEFAULT, Fusion
from corpus.index.local import LocalIndex
from corpus.index.local.ranking import Ranking
from corpus.search import Search

DENSE = (0.4, 0.5, 0.6)
CODES = (0.0, 2.0, 4.0)
GRID = tuple(
    Fusion(dense=dense, lexical=1 - dense, codes=codes) for dense, codes in itertools.product(DENSE, CODES)
)
DEPTH = 30
FEW = 10
"""Questions below which a set is no fold of its own."""

Scores = dict[str, NDArray[np.float64]]
"""By fold, the score of each question under each rule of the grid, shape (questions, rules)."""


async def main(folder: Path, *, every: int) -> None:
    scores = {**await _pages(folder), **await _collections(folder, every)}
    scores = {name: rows for name, rows in scores.items() if len(rows) >= FEW}
    means = {name: rows.mean(axis=0) for name, rows in scores.items()}
    present, best = GRID.index(DEFAULT), _best(list(means.values()))
    rows = []
    for name, mean in means.items():
        unseen = _best([other for fold, other in means.items() if fold != name])
        low, high = _interval(scores[name][:, unseen] - scores[name][:, present])
        difference = f"{mean[unseen] - mean[present]:+.3f} [{low:+.3f}, {high:+.3f}]"
        cells = [_named(GRID[unseen]), f"{mean[unseen]:.3f}", f"{mean[present]:.3f}", difference]
        rows.append([name, str(len(scores[name])), *cells])
    print(
        table(["fold", "questions", "chosen on the others", "gives", "the present ones", "difference"], rows)
    )
    for rule, mean in zip(GRID, np.mean(list(means.values()), axis=0), strict=True):
        marks = " (present)" * (rule == DEFAULT) + " (best)" * (rule == GRID[best])
        print(f"{_named(rule)}: {mean:.4f} over all folds{marks}")


def _best(means: Sequence[NDArray[np.float64]]) -> int:
    return int(np.argmax(np.mean(means, axis=0)))


def _named(rule: Fusion) -> str:
    return f"dense {rule.dense:.1f}, lexical {rule.lexical:.1f}, codes {rule.codes:.0f}"


def _interval(differences: NDArray[np.float64], draws: int = 10_000) -> tuple[float, float]:
    """95 % by bootstrap over questions, seed fixed."""
    drawn = np.random.default_rng(7).integers(0, len(differences), (draws, len(differences)))
    low, high = np.percentile(differences[drawn].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)


async def _pages(folder: Path) -> Scores:
    asked = questions(folder)
    named = [one.set_name for one in asked] + ["another language"] * len(crossing_questions())
    asked += crossing_questions()
    rows = np.zeros((len(asked), len(GRID)))
    with _kept(FOLDER.with_name("vectors.sqlite")) as embedder:
        async for rule, index in _indexes(FOLDER, embedder):
            for n, one in enumerate(asked):
                rank = ranked(one, (await index.find(Search(one.text, DEPTH), ANONYMOUS)).hits).exact
                rows[n, rule] = 1 / rank if rank else 0.0
    return {name: rows[[n for n, one in enumerate(named) if one == name]] for name in dict.fromkeys(named)}


async def _collections(folder: Path, every: int) -> Scores:
    found: Scores = {}
    with _kept(COLLECTIONS / "vectors.sqlite") as embedder:
        for collection in collections(folder / "ir", every=every):
            place = COLLECTIONS / collection.name.replace(", ", "-").replace(" ", "-")
            if not place.is_dir():
                print(f"{collection.name}: left out, `python -m bench ir` makes its index", flush=True)
                continue
            groups = {f"{collection.name}: {pair}": asked for pair, asked in collection.groups.items()}
            found |= {name: np.zeros((len(asked), len(GRID))) for name, asked in groups.items()}
            async for rule, index in _indexes(place, embedder):
                for name, asked in groups.items():
                    for n, one in enumerate(asked):
                        hits = (await index.find(Search(one.text, CUT), ANONYMOUS)).hits
                        found[name][n, rule] = ndcg(one, [hit.block.block_id for hit in hits])
    return found


async def _indexes(place: Path, embedder: KeptVectors) -> AsyncIterator[tuple[int, LocalIndex]]:
    """An index of each rule of the grid, open for as long as it is asked."""
    for rule, fusion in enumerate(GRID):
        index = LocalIndex.open(place, embedder, ranking=Ranking(fusion=fusion))
        yield rule, index
        await index.aclose()


def _kept(file: Path) -> KeptVectors:
    packaged = chosen("packaged")
    assert packaged is not None
    return KeptVectors(packaged, file)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--every", type=int, default=16, help="of the collections, every so many questions")
    given = parser.parse_args()
    anyio.run(lambda: main(corpora(), every=given.every))
