"""Hybrid searches of the synthetic index, by a caller who may read a third of it."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.blocks import Corpus, NoEmbedder, filled
from bench.search.asking import Questions, searching
from corpus.index.local import LocalIndex

TIMES = 200


def prepared(arguments: Sequence[str]) -> tuple[Callable[[], object], int]:
    parser = argparse.ArgumentParser(prog="bench profile search")
    parser.add_argument("--blocks", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, default=Path(".bench/search"))
    chosen = parser.parse_args(arguments)
    corpus, place = Corpus(chosen.blocks), chosen.folder / f"synthetic-{chosen.blocks}"
    filled(place, corpus.documents())
    search = searching(LocalIndex.open(place, NoEmbedder()), Questions(corpus, TIMES), "both", "36 %")
    search(0)
    numbers = itertools.count()
    return lambda: search(next(numbers)), TIMES
