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
        """Return the SVG, or an empty string if the record has no row for it."""
        return self.draw(self.title, record)


SERVER = ("server", "mode")
GROWTH = of_lines("search,floor", ("blocks", "blocks"), ("cpu_p50_ms", "ms of CPU time"), ("what",), scope="none")
PLOTS: dict[str, Plot] = {
    "search-growth": Plot("search-real-growth", "Time of a search of repeated real blocks, and of scans alone", GROWTH),
    "search-growth-synthetic": Plot(
        "search-synthetic-growth", "Time of a search of synthetic blocks, and of scans alone", GROWTH
    ),
    "startup": Plot(
        "startup",
        "Time from the start of the process to its first answer",
        of_bars("", "ms, median of all starts", {"cpu_p50_ms": "CPU time", "wall_p50_ms": "wall time"},
                ("server", "first")),
    ),
    "stdio": Plot(
        "stdio",
        "Time of a call over stdio",
        of_bars("", "ms, median of all calls", {"cpu_p50_ms": "CPU time", "wall_p50_ms": "wall time"},
                ("what", "first")),
    ),
    "memory": Plot("memory", "Memory of a server", of_bars("", "MB", {"private_mb": "private"}, ("server", "blocks"))),
    "ingest-reading": Plot(
        "ingest-reading",
        "Pages read per second by one core",
        of_bars("reading", "pages", {"pages_a_second_and_core": "pages"}, ("kind", "pages")),
    ),
    "ingest-embedding": Plot(
        "ingest-embedding",
        "Passages embedded per second",
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
        "Time of a search as the number of pages grows, 95th percentile",
        of_lines("passages", ("passages", "pages, one passage each"), ("search_ms_p95", "ms of wall time"), SERVER),
    ),
    "peers-start": Plot(
        "peers-start",
        "Time from the start of the process to the answer to initialize",
        of_bars("start", "ms of wall time, median of nine starts", {"initialize_ms_p50": "initialize"}, SERVER),
    ),
    "peers-ingest": Plot(
        "peers-passages",
        "Time of ingestion as the number of pages grows",
        of_lines("passages", ("passages", "pages, one passage each"), ("ingest_s", "seconds of wall time"), SERVER),
    ),
}  # fmt: skip
"""Plots by file name."""
