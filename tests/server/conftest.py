from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from corpus.index.local import LocalIndex
from corpus.library import Library
from corpus.readers.reading import ReadingProcesses
from corpus.synthesis.pen import Pen
from corpus.synthesis.prompting import Instructions
from prompts.texts import OWN
from tests.doubles.digest_embedder import DigestEmbedder
from tests.server.desk import ERAS, Desk, figure, manual, passage

PEN = Pen(Instructions(OWN["synthesis"].text, OWN["synthesis"].version))


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    """A server with nothing in its index."""
    index = LocalIndex.open(tmp_path / "index", DigestEmbedder())
    async with ReadingProcesses() as reading:
        yield Desk(index, Library(index, reading, pen=PEN))
    await index.aclose()


@pytest.fixture
async def stocked(desk: Desk) -> Desk:
    """A public manual with a figure, a public note, and a report that only ann may read."""
    await desk.put(
        manual(),
        [
            passage("The pump moves water with a centrifugal impeller.", heading="Function", page_label="33"),
            passage("Change the seal every 2000 hours.", place="p4-1", page=4, heading="Care"),
            figure("Figure 3: Impeller, exploded view"),
        ],
    )
    await desk.put(
        manual("notes", filename="notes.txt", page_count=None, document_type="Note", author="Kim"),
        [
            passage(
                "The valve sticks in winter.",
                doc_id="notes",
                place="l1",
                page=None,
                start_line=45,
                end_line=52,
            )
        ],
    )
    await desk.put(
        manual("salaries", access=("user:ann",), author="Lee", department="HR", document_type="Report"),
        [
            passage("The salary of the director is secret.", doc_id="salaries"),
            figure("Figure 1: Salary curve", doc_id="salaries"),
        ],
    )
    return desk
