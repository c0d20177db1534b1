"""An ingestion that is killed at any stage leaves only complete documents, and a second run finishes the rest."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from corpus.access import ANONYMOUS
from corpus.index.local import LocalIndex
from corpus.search import Listing, Search
from tests.doubles.digest_embedder import DigestEmbedder
from tests.ingestion.child import ingest

pytestmark = [pytest.mark.slow, pytest.mark.anyio]


@pytest.fixture
def tmp_path(on_disk: Path) -> Path:
    return on_disk


STAGES = [
    "reading",
    "replace.before_commit",
    "replace.committed",
    "words.before_commit",
    "words.committed",
    "embedding",
    "vectors.before_commit",
    "vectors.committed",
]
NAMES = ("one", "two", "three")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    for name in NAMES:
        text = "".join(
            f"# Part {n}\n\nDocument{name} part{n} tells of pumps. {'More words. ' * 30}\n\n" for n in range(8)
        )
        (folder / f"{name}.md").write_text(text)
    return folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, folder: Path) -> dict[str, list[str]]:
    """The result of an ingestion that is not interrupted."""
    place = tmp_path_factory.mktemp("whole") / "index"

    async def made() -> dict[str, list[str]]:
        await ingest(place, folder)
        return await contents(place)

    return anyio.run(made)


async def contents(place: Path) -> dict[str, list[str]]:
    """Return the text of each document, by file name. Every listed document must also be found by its words."""
    index = LocalIndex.open(place, DigestEmbedder())
    listed = (await index.list_documents(Listing(), ANONYMOUS)).documents
    texts = {}
    for document in listed:
        blocks = await index.pages(document.doc_id, 1, 1, ANONYMOUS)
        texts[document.filename] = [block.content for block in blocks]
        found = await index.find(Search(f"document{Path(document.filename).stem}", top_k=50), ANONYMOUS)
        by_words = {hit.block.block_id for hit in found.hits if hit.lexical and hit.document == document}
        assert by_words == {block.block_id for block in blocks}
    await index.aclose()
    return texts


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("stage", STAGES)
async def test_no_document_is_partial_and_a_second_run_completes(
    tmp_path: Path, folder: Path, whole: dict[str, list[str]], stage: str, count: int
) -> None:
    assert set(whole) == {f"{name}.md" for name in NAMES}
    place = tmp_path / "index"
    command = [sys.executable, "-m", "tests.ingestion.child", str(place), str(folder), stage, str(count)]
    run = subprocess.run(command, check=False, timeout=120)
    if count == 1:
        assert run.returncode == -signal.SIGKILL, "the ingestion never reached this stage"
    for name, text in (await contents(place)).items():
        assert text == whole[name]
    await ingest(place, folder)
    assert await contents(place) == whole
    index = LocalIndex.open(place, DigestEmbedder())
    assert await index.pending(1) == ()
    await index.aclose()
