"""A run knows the number of pages before it reads them, and reports each page that it has read."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.ingestion.report import Outcome, PageTally, Silence, estimated_pages
from corpus.readers.formats import page_count
from corpus.readers.sandbox.pool import ReadingProcesses
from tests.ingestion.shop import Shop

SAMPLES = Path(__file__).parents[2] / "examples" / "documents"
GUIDE = SAMPLES / "xyz-pump-operations-guide.pdf"


class Told(Silence):
    def __init__(self) -> None:
        self.pages_told: list[tuple[int, int]] = []
        self.outcomes: list[Outcome] = []

    def pages(self, done: int, total: int) -> None:
        self.pages_told.append((done, total))

    def file_done(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)


def test_a_file_without_pages_counts_by_its_size() -> None:
    assert estimated_pages(Path("note.md"), 200) == 1
    assert estimated_pages(Path("log.txt"), 30_000) == 10
    assert estimated_pages(Path("photo.png"), 9_000_000) == 1


def test_pages_are_counted_without_reading() -> None:
    assert page_count(GUIDE) == 6


def test_an_estimate_is_corrected_when_the_file_is_opened_and_an_unread_file_counts_nothing() -> None:
    told = Told()
    tally = PageTally(told.pages)
    one, two = Path("one.pdf"), Path("two.pdf")
    tally.expect(one, 3)
    tally.expect(two, 5)
    tally.listener(one)(1, 30)
    assert told.pages_told[-1] == (1, 35)
    assert tally.end(one, is_read=True) == 30
    assert tally.end(two, is_read=False) == 0
    assert told.pages_told[-1] == (30, 30)


def test_a_file_that_is_read_again_subtracts_no_page() -> None:
    told = Told()
    tally = PageTally(told.pages)
    tally.expect(GUIDE, 6)
    for page in (1, 2, 3, 1, 2, 3, 4):
        tally.listener(GUIDE)(page, 6)
    assert [done for done, _ in told.pages_told] == [0, 1, 2, 3, 3, 3, 3, 4]


@pytest.mark.anyio
async def test_each_page_of_a_run_is_reported_and_unchanged_files_add_none(shop: Shop) -> None:
    (shop.folder / GUIDE.name).write_bytes(GUIDE.read_bytes())
    shop.put("note.md", "The impeller turns.")
    first, second = Told(), Told()
    await shop.ingest(progress=first)
    assert {done for done, _ in first.pages_told} == set(range(8))
    assert first.pages_told[-1] == (7, 7)
    assert sorted(outcome.pages for outcome in first.outcomes) == [1, 6]
    await shop.ingest(progress=second)
    assert second.pages_told == []


@pytest.mark.anyio
async def test_a_reading_process_counts_pages(tmp_path: Path) -> None:
    async with ReadingProcesses() as reading:
        assert await reading.page_count(GUIDE) == 6
