"""Build docs/performance.md and its drawings from the benches' records: `python -m bench performance`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bench.performance.page import filled
from bench.performance.plots import PLOTS
from bench.performance.records import Record, kept

DOCS = Path(__file__).parents[2] / "docs"
PAGE, DRAWINGS = DOCS / "performance.md", DOCS / "performance"


def main() -> None:
    for file, text in made(kept()).items():
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        print(file.relative_to(DOCS.parent))


def made(records: Mapping[str, Record]) -> dict[Path, str]:
    """Return the text of each file that is built from the records."""
    drawn = {
        DRAWINGS / f"{name}.svg": plot.svg(records[plot.bench]) for name, plot in PLOTS.items() if plot.bench in records
    }
    page = filled(PAGE.read_text(encoding="utf-8"), records)
    return {PAGE: page, **{file: svg for file, svg in drawn.items() if svg}}


if __name__ == "__main__":
    main()
