"""Run every part of the bench, or a single one: `python -m bench layout [--only PART]`."""

from __future__ import annotations

import argparse
from importlib import import_module

PARTS = ("figures", "charts", "tables", "order", "speed")
"""Modules of this package. The function `run` in each prints its table."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench layout", description=__doc__)
    parser.add_argument("--only", choices=PARTS, help="one part instead of all")
    only = parser.parse_args().only
    for part in [only] if only else PARTS:
        import_module(f"bench.layout.{part}").run()


if __name__ == "__main__":
    main()
