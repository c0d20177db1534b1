"""Where the processor time of reading goes, by functions: `python -m bench.ingest.profiling FILE [--by tottime]`."""

from __future__ import annotations

import argparse
import cProfile
import pstats
from pathlib import Path

from corpus.readers.formats import reader_for

MOST = 40


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("file", type=Path)
    arguments.add_argument("--by", default="cumulative", choices=("cumulative", "tottime"))
    chosen = arguments.parse_args()
    profile = cProfile.Profile()
    steps = profile.runcall(lambda: sum(1 for _ in reader_for(chosen.file)(chosen.file)))
    print(f"{steps} steps")
    pstats.Stats(profile).sort_stats(chosen.by).print_stats(MOST)


if __name__ == "__main__":
    main()
