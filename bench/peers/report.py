"""The tables of this bench."""

from __future__ import annotations

from collections.abc import Sequence

from bench import record
from bench.performance import records
from bench.tables import of_rows

FILE = record.RESULTS / "peers.md"
PREFACE = """# Other MCP servers that work offline

`python -m bench peers --write` made this: each server from its registry, in an environment of its own, on the same
documents and questions, through the same MCP client over stdio, one after the other. All rows of one table are of the
same run.

- Each runs in the best mode that needs no download of a model: see `mode`. The vectors of groundkit (a running
  Ollama), pdf-mcp (a model of 60 MB and more) and qmd (2 GB), its reranking too, and the `st` extra of
  grounded-rag-mcp could not be run here; with them their ranking may well be better. Ibid's model is in its package,
  so `hybrid` stands beside, with vectors of passages from an earlier run; those of synthetic pages are drawn at random,
  which shows what a search costs and not what it finds.
- Servers that read no PDF are given the text of each page in a Markdown file of its own, as pdfium reads it, with
  document and page as heading; making these files costs them no time. So each result is exactly one page, and none is
  cut in two.
- qmd finds only what holds all words of a query, so it is asked by keywords, as its documentation advises: all of
  them and each one alone, which it fuses. pdf-mcp searches at most 100 PDFs at once; the synthetic pages lie in 100
  files.
- grounded-rag-mcp keeps nothing on disk: it reads everything again at each start, and its time to a first search is
  that."""
PARTS = {
    "pages": ("Pages found on the development corpora", (
        "server", "version", "mode", "reads", "questions", "page_hit@1", "page_hit@5", "page_hit@10",
        "search_ms_p50", "search_ms_p95", "search_cpu_ms_p50", "search_cpu_ms_p95", "ingest_s", "ingest_cpu_s",
        "memory_mb", "failed",
    )),
    "start": ("From the start of the process to its first answers", (
        "server", "mode", "starts", "initialize_ms_p50", "initialize_ms_p95", "first_search_ms_p50",
        "first_search_ms_p95", "failed",
    )),
    "passages": ("A search over growing numbers of pages, and reading them", (
        "passages", "server", "mode", "reads", "asked", "search_ms_p50", "search_ms_p95", "search_cpu_ms_p50",
        "search_cpu_ms_p95", "found@10", "ingest_s", "ingest_cpu_s", "memory_mb", "failed",
    )),
}  # fmt: skip


def name(part: str) -> str:
    """Return the name of the record that stores the part."""
    return f"peers-{part}"


def kept() -> list[record.Row]:
    """Return the rows of all parts, including those measured in earlier runs."""
    found = records.kept()
    return [row for part in PARTS if name(part) in found for row in found[name(part)].rows]


def text(rows: Sequence[record.Row]) -> str:
    """Return a table for each measured part."""
    tables = []
    for part, (title, columns) in PARTS.items():
        mine = [row for row in rows if row["part"] == part]
        if mine:
            tables.append(f"## {title}\n\n{of_rows(mine, columns)}")
    return "\n\n".join(tables)
