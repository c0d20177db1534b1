"""Measure cost and ranking of the Azure AI Search backend: `python -m bench azure [--corpora] [--write]`.

The service is the tests' emulator, in a separate process.
"""

from __future__ import annotations

import argparse
import os

import anyio
import structlog

from bench.azure import costs, loading, quality, report
from bench.questions import corpora


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--corpora", action="store_true", help="how the development corpora are ranked instead")
    parser.add_argument("--write", action="store_true", help=f"also write bench/results/{report.RESULTS.name}")
    chosen = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    load = os.getloadavg()[0]
    parts = ranking() if chosen.corpora else cost()
    for title, text in parts.items():
        print(f"## {title}\n\n{text}\n")
        if chosen.write:
            report.write(title, f"{report.circumstances(load)}\n\n{text}")


def ranking() -> dict[str, str]:
    return {"Ranking": anyio.run(quality.compared, corpora())}


def cost() -> dict[str, str]:
    return {"Cost of a search": anyio.run(costs.measured), "Import and memory": loading.measured()}


if __name__ == "__main__":
    main()
