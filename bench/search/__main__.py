"""Measure searches of the local index: `python -m bench search [--blocks 100000] [--real] [--growth] [--folder
.bench/search]`.

The blocks are synthetic, or those of real documents repeated. The bench prints milliseconds and stores them in
bench/results/search….json; CPU time is that of all threads, without the query's embedding. The bare vector products of
numpy and simsimd are measured in the same run, so that machines can be compared.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import structlog

from bench import record
from bench.blocks import Corpus, NoEmbedder, Source, filled
from bench.record import Row
from bench.search import asking, changing, cold, floor
from bench.search.asking import Questions
from bench.search.real import Real
from bench.search.truth import Truth
from bench.tables import by_part
from corpus.index.local import LocalIndex

SIZES = (1_000, 10_000, 100_000, 1_000_000)
PACKAGES = ("numpy", "simsimd", "tantivy")


def main() -> None:
    arguments = argparse.ArgumentParser(prog="bench search", description=__doc__)
    arguments.add_argument("--blocks", type=int, default=100_000)
    arguments.add_argument("--real", action="store_true", help="blocks of real documents")
    arguments.add_argument("--growth", action="store_true", help=f"every size of {SIZES}, searches alone")
    arguments.add_argument("--queries", type=int, default=200)
    arguments.add_argument("--folder", type=Path, default=Path(".bench/search"))
    chosen = arguments.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    load, kind = os.getloadavg()[0], "real" if chosen.real else "synthetic"
    rows: list[Row] = []
    for blocks in SIZES if chosen.growth else (chosen.blocks,):
        found = measured(kind, blocks, chosen.folder, chosen.queries, whole=not chosen.growth)
        print(f"\n{blocks:,} {kind} blocks\n\n{by_part(found)}", flush=True)
        rows += [{"blocks": blocks, **row} for row in found]
    size = "growth" if chosen.growth else str(chosen.blocks)
    command = f"python -m bench search {'--growth' if chosen.growth else f'--blocks {chosen.blocks}'}"
    record.write(
        f"search-{kind}-{size}",
        command + (" --real" if chosen.real else ""),
        rows,
        load=load,
        packages=PACKAGES,
    )


def measured(kind: str, blocks: int, folder: Path, queries: int, *, whole: bool) -> list[Row]:
    """Return every table of one index, which is created if necessary. If `whole` is False, return only searches and
    their references."""
    source: Source = Real(blocks, folder) if kind == "real" else Corpus(blocks)
    place = folder / f"{kind}-{blocks}"
    filled(place, source.documents())
    rows = [*cold.rows(place, NoEmbedder.id), disk(place)] if whole else [disk(place)]
    questions, truth = Questions(source, queries), Truth(source)
    vectors = questions.vectors
    rows += [
        {"part": "floor", "what": "numpy float32", **floor.float32(truth.matrix, vectors).row()},
        {"part": "floor", "what": "int8", **floor.int8(truth.matrix, vectors).row()},
    ]
    index = LocalIndex.open(place, NoEmbedder())
    rows += asking.rows(index, questions, truth, queries)
    if whole:
        other = LocalIndex.open(place, NoEmbedder())
        rows += changing.rows(index, other, source, questions)
        other._close()
    index._close()
    return rows


def disk(place: Path) -> Row:
    size = sum(file.stat().st_size for file in place.rglob("*") if file.is_file())
    return {"part": "disk", "what": "the whole folder", "mb": round(size / 1e6)}


if __name__ == "__main__":
    main()
