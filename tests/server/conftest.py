from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from corpus.index.local import LocalIndex
from corpus.library import Library
from corpus.readers.sandbox.pool import ReadingProcesses
from corpus.synthesis.prompting import Instructions
from corpus.synthesis.writer import Pen
from prompts.texts import OWN
from tests.doubles.digest_embedder import DigestEmbedder
from tests.server.desk import ERAS, Desk, figure, manual, passage

PEN = Pen(Instructions(OWN["synthesis"].text, OWN["synthesis"].version))


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    """A server with an empty index."""
    async with opened(tmp_path / "index") as desk:
        yield desk


@pytest.fixture
async def stocked(stock: Path, tmp_path: Path) -> AsyncIterator[Desk]:
    """A public manual with a figure, a public note, and a report that only ann may read."""
    async with opened(shutil.copytree(stock, tmp_path / "index")) as desk:
        yield desk


@pytest.fixture(scope="session")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of `stocked`, which each test copies."""
    folder = tmp_path_factory.mktemp("stock") / "index"
    anyio.run(fill, folder)
    return folder


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Desk]:
    index = LocalIndex.open(folder, DigestEmbedder())
    async with ReadingProcesses() as reading:
        yield Desk(index, Library(index, reading, pen=PEN))
    await index.aclose()


async def fill(folder: Path) -> None:
    async with opened(folder) as desk:
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
