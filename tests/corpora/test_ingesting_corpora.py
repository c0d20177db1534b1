"""Real external files become searchable, and a hostile file affects only itself."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from corpus.access import ANONYMOUS
from corpus.index.local import LocalIndex
from corpus.ingestion.ingest import Ingestion
from corpus.ingestion.report import Report, Silence
from corpus.readers.protocol import Limits
from corpus.readers.sandbox.pool import READABLE, ReadingProcesses, reader_version
from corpus.search import Listing, Search

pytestmark = [pytest.mark.slow, pytest.mark.anyio]

SETS = ("northwind", "papers", "manuals", "gov", "finreport")
PDF = frozenset({".pdf"})


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[LocalIndex]:
    index = LocalIndex.open(tmp_path / "index", None)
    yield index
    await index.aclose()


async def ingested(index: LocalIndex, paths: list[Path], readable: frozenset[str]) -> Report:
    cores = os.cpu_count() or 1
    async with ReadingProcesses(Limits(total_seconds=240), count=cores) as reading:
        ingestion = Ingestion(
            index,
            reading,
            readable=readable,
            reader_version=reader_version(),
            progress=Silence(),
            at_once=cores,
        )
        return await ingestion.run(paths)


async def test_every_pdf_of_the_sets_is_read_completely_and_found_by_its_own_words(
    index: LocalIndex, corpora: Path
) -> None:
    report = await ingested(index, [corpora / name for name in SETS], PDF)
    files = sorted(file.name for name in SETS for file in (corpora / name).rglob("*.pdf"))
    assert sorted(outcome.path.name for outcome in report.outcomes if outcome.kind == "added") == files
    for document in (await index.list_documents(Listing(limit=100), ANONYMOUS)).documents:
        last = document.page_count or 1
        blocks = await index.pages(document.doc_id, (last + 1) // 2, last, ANONYMOUS)
        texts = [block for block in blocks if block.block_type == "text"]
        longest = max(texts, key=lambda block: len(block.content))
        beginning = longest.content[:300]  # All parts of a table have the same beginning.
        found = await index.find(Search(beginning, top_k=5), ANONYMOUS)
        assert beginning in [hit.block.content[:300] for hit in found.hits]
    await _large_manual_is_whole(index)


async def _large_manual_is_whole(index: LocalIndex) -> None:
    """Check the manual that takes longest to read."""
    (manual,) = await index.by_name("ngspice-manual.pdf", ANONYMOUS)
    assert manual.page_count == 715
    assert len((await index.document(manual.doc_id, ANONYMOUS)).outline) == 824
    blocks = await index.pages(manual.doc_id, 1, 715, ANONYMOUS)
    assert len([block for block in blocks if block.block_type == "image"]) >= 20


async def test_hostile_files_get_an_outcome_and_hide_no_other_file(
    index: LocalIndex, corpora: Path, tmp_path: Path
) -> None:
    (tmp_path / "good").mkdir()
    for name in ("aaa", "mmm", "zzz"):
        (tmp_path / "good" / f"{name}.md").write_text(f"# Good\n\nThe {name} impeller turns.")
    hostile = corpora / "nasty" / "files"
    report = await ingested(index, [hostile, tmp_path / "good"], READABLE)
    readable = [file for file in hostile.rglob("*") if file.suffix.lower() in READABLE]
    assert len(report.outcomes) == len(readable) + 3
    assert all(outcome.detail for outcome in report.failed)
    assert not [outcome.detail for outcome in report.failed if "Traceback" in outcome.detail]
    for name in ("aaa", "mmm", "zzz"):
        hits = (await index.find(Search(f"{name} impeller"), ANONYMOUS)).hits
        assert f"{name}.md" in [hit.document.filename for hit in hits]
