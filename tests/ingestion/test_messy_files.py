"""A realistic messy folder: everything readable is read, and exactly the three unreadable files are reported."""

from __future__ import annotations

import pytest

from bench.ingest.faults import FAULTS
from bench.ingest.messy import make
from tests.ingestion.shop import Shop

pytestmark = pytest.mark.anyio

REASONS = {
    "broken download.pdf": "damaged: its structure cannot be read as a PDF",
    "nothing.pdf": "empty file",
    "secret.pdf": "encrypted, needs a password",
}


async def test_exactly_the_three_unreadable_files_fail_each_with_its_reason(shop: Shop) -> None:
    make(shop.folder, len(FAULTS) + len(REASONS))
    report = await shop.ingest()
    assert {outcome.path.name: outcome.detail for outcome in report.failed} == REASONS
    assert report.count("added") == len(FAULTS)
    assert (await shop.ingest()).count("unchanged") == len(FAULTS)
