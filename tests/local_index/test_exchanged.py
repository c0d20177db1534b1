"""A database that is deleted, replaced or inaccessible while the index is in use."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from corpus.access import ANONYMOUS, Caller
from corpus.errors import NotConfigured
from corpus.index.local import LocalIndex
from corpus.search import Search
from tests.doubles.digest_embedder import DigestEmbedder
from tests.shelf import a_document, texts
from tests.writable_contract import embed

pytestmark = pytest.mark.anyio


async def filled(folder: Path, *principals: str) -> None:
    embedder = DigestEmbedder()
    index = LocalIndex.open(folder, embedder)
    await index.replace(a_document(access_control_list=principals), texts("manual", "secret pump"))
    await embed(index, embedder)
    await index.aclose()


async def test_a_deleted_index_stops_answering_and_a_new_one_uses_its_own_lists(folder: Path) -> None:
    await filled(folder, "*")
    running = LocalIndex.open(folder, DigestEmbedder())
    assert (await running.find(Search("secret pump"), ANONYMOUS)).hits
    shutil.rmtree(folder)
    for ask in (running.find(Search("secret pump"), ANONYMOUS), running.update(a_document())):
        with pytest.raises(NotConfigured, match=r"no index.*ibid ingest"):
            await ask
    assert not folder.exists()
    await filled(folder, "user:ann")
    assert not (await running.find(Search("secret pump"), ANONYMOUS)).hits
    assert (await running.counts(ANONYMOUS)).documents == 0
    assert (await running.find(Search("secret pump"), Caller(user_id="ann"))).hits
    await running.aclose()


@pytest.mark.parametrize("below", ["", "sub"])
def test_a_data_folder_that_is_a_file_is_reported_with_the_fix(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(NotConfigured, match="RAG_DATA_DIR"):
        LocalIndex.open(tmp_path / "file" / below, None)


def test_a_folder_in_place_of_the_database_is_reported_with_the_fix(tmp_path: Path) -> None:
    (tmp_path / "index.sqlite3").mkdir()
    with pytest.raises(NotConfigured, match="RAG_DATA_DIR"):
        LocalIndex.open(tmp_path, None)


async def test_hidden_words_do_not_affect_the_ranking_of_readable_blocks(tmp_path: Path) -> None:
    """The weight of a query word depends only on the documents that the caller may read."""
    scores = []
    for n, (secret, removed) in enumerate(
        [
            ("nothing of that kind", False),
            ("lisbon restructuring budget plan", False),
            ("nothing of that kind", True),
            ("lisbon restructuring budget plan", True),
        ]
    ):
        embedder = DigestEmbedder()
        index = LocalIndex.open(tmp_path / str(n), embedder)
        await index.replace(a_document("open"), texts("open", "crew", "crew of a pump and crew", "a seat"))
        hidden = a_document("hidden", access_control_list=("user:ceo",))
        await index.replace(hidden, texts("hidden", secret))
        await embed(index, embedder)
        if removed:
            await index.rebuild_words()  # into one segment, in which removed blocks are only marked
            await index.remove("hidden")
        hits = (await index.find(Search("lisbon restructuring crew"), ANONYMOUS)).hits
        scores.append([round(hit.score, 6) for hit in hits])
        await index.aclose()
    assert scores[0] == scores[1]
    assert scores[2] == scores[3]
