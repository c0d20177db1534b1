"""The drawings of the page, each from the rows of one bench."""

from __future__ import annotations

from dataclasses import dataclass

from bench.performance.drawing import Draw, of_bars, of_lines
from bench.performance.records import Record


@dataclass(frozen=True)
class Plot:
    bench: str
    title: str
    draw: Draw

    def svg(self, record: Record) -> str:
        """Return the SVG, or an empty text if the record has no row for it."""
        return self.draw(self.title, record)


SERVER = ("server", "mode")
GROWTH = of_lines("search,floor", ("blocks", "blocks"), ("cpu_p50_ms", "ms of the processor"), ("what",), scope="none")
PLOTS: dict[str, Plot] = {
    "search-growth": Plot("search-real-growth", "A search of real blocks, repeated, and bare scans", GROWTH),
    "search-growth-synthetic": Plot("search-synthetic-growth", "A search of synthetic blocks, and bare scans", GROWTH),
    "startup": Plot(
        "startup",
        "From the start of the process to its first answer",
        of_bars("", "ms, the middle of all starts", {"cpu_p50_ms": "of the processor", "wall_p50_ms": "by the clock"},
                ("server", "first")),
    ),
    "stdio": Plot(
        "stdio",
        "What a call over stdio costs",
        of_bars("", "ms, the middle of all calls", {"cpu_p50_ms": "of the processor", "wall_p50_ms": "by the clock"},
                ("what", "first")),
    ),
    "memory": Plot("memory", "Memory of a server", of_bars("", "MB", {"private_mb": "private"}, ("server", "blocks"))),
    "ingest-reading": Plot(
        "ingest-reading",
        "Pages that one core reads in a second",
        of_bars("reading", "pages", {"pages_a_second_and_core": "pages"}, ("kind", "pages")),
    ),
    "ingest-embedding": Plot(
        "ingest-embedding",
        "Passages turned into vectors in a second",
        of_bars("embedding", "passages", {"passages_a_second": "passages"}, ("way",)),
    ),
    "retrieval": Plot(
        "retrieval",
        "The right page among the first 1, 5 and 10, all sets together",
        of_bars("All documents together", "share of questions",
                {method: method for method in ("plain", "words", "vectors", "both")}, ("measure",), digits=2,
                set="pooled"),
    ),
    "ir": Plot(
        "ir",
        "Ranking within and across languages",
        of_bars("", "nDCG@10", {way: way for way in ("lexical", "vector", "hybrid")},
                ("collection", "question -> passage"), digits=2),
    ),
    "peers-pages": Plot(
        "peers-pages",
        "The right page among the first 1, 5 and 10 pages found",
        of_bars("pages", "share of questions", {f"page_hit@{k}": f"first {k}" for k in (1, 5, 10)}, SERVER, digits=2),
    ),
    "peers-search": Plot(
        "peers-passages",
        "A search over growing numbers of pages, the 95th of a hundred",
        of_lines("passages", ("passages", "pages, a passage each"), ("search_ms_p95", "ms by the clock"), SERVER),
    ),
    "peers-start": Plot(
        "peers-start",
        "From the start of the process to the answer to initialize",
        of_bars("start", "ms by the clock, the middle of nine", {"initialize_ms_p50": "initialize"}, SERVER),
    ),
    "peers-ingest": Plot(
        "peers-passages",
        "Reading growing numbers of pages",
        of_lines("passages", ("passages", "pages, a passage each"), ("ingest_s", "seconds by the clock"), SERVER),
    ),
}  # fmt: skip
"""Plots by file name."""
