"""A writer that is killed at any stage leaves a complete document, a working index, and nothing that a second run
cannot finish."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from corpus.access import ANONYMOUS
from corpus.errors import DocumentNotFound
from corpus.index.local import LocalIndex
from corpus.search import Search
from tests.doubles.digest_embedder import DigestEmbedder
from tests.local_index.child import NEW, OLD, ROOT, act
from tests.local_index.inside import damage_words, words_hold_the_database
from tests.shelf import a_document, texts
from tests.writable_contract import embed

pytestmark = [pytest.mark.slow, pytest.mark.anyio]


@pytest.fixture
def tmp_path(on_disk: Path) -> Path:
    return on_disk


BEFORE = ("replace.before_commit",)
AFTER = ("replace.committed", "words.before_replay", "words.before_commit", "words.committed")
BUILDING = ("words.before_build", "words.before_commit", "words.committed", "words.named")


def killed(folder: Path, action: str, stage: str) -> None:
    command = [sys.executable, "-m", "tests.local_index.child", str(folder), action, stage]
    run = subprocess.run(command, cwd=ROOT, timeout=60, check=False)
    assert run.returncode == -signal.SIGKILL, "the writer never reached this stage"


async def old_index(folder: Path) -> None:
    index = LocalIndex.open(folder, DigestEmbedder())
    await index.replace(a_document(), texts("manual", *OLD))
    await index.replace(a_document("other"), texts("other", "a pump that stays"))
    await embed(index, DigestEmbedder())
    await index.aclose()


async def what_is_there(folder: Path) -> tuple[str, ...]:
    """Return the document's text, after checking that all methods of reading it agree."""
    index = LocalIndex.open(folder, DigestEmbedder())
    try:
        contents = tuple(block.content for block in await index.pages("manual", 1, 99, ANONYMOUS))
    except DocumentNotFound:
        contents = ()
    for query in ("old pump", "new valve"):
        found = await index.find(Search(query, top_k=50), ANONYMOUS)
        by_words = {hit.block.content for hit in found.hits if hit.lexical and hit.document.doc_id == "manual"}
        assert by_words == {text for text in contents if query in text}
        assert not any("word index" in warning for warning in found.warnings)
        assert {h.block.content for h in found.hits} <= {*contents, "a pump that stays"}
    await index.aclose()
    return contents


@pytest.mark.parametrize("stage", [*BEFORE, *AFTER])
async def test_a_replacement_is_complete_or_absent(folder: Path, stage: str) -> None:
    await old_index(folder)
    killed(folder, "replace", stage)
    assert await what_is_there(folder) == (OLD if stage in BEFORE else NEW)
    words_hold_the_database(folder)
    await act(folder, "replace")
    await act(folder, "vectors")
    assert await what_is_there(folder) == NEW
    words_hold_the_database(folder)


@pytest.mark.parametrize("stage", ["remove.before_commit", "remove.committed", "words.before_commit"])
async def test_a_removal_is_complete_or_absent(folder: Path, stage: str) -> None:
    await old_index(folder)
    killed(folder, "remove", stage)
    assert await what_is_there(folder) == (OLD if stage == "remove.before_commit" else ())
    await act(folder, "remove")
    assert await what_is_there(folder) == ()
    words_hold_the_database(folder)


@pytest.mark.parametrize("stage", BUILDING)
async def test_a_word_index_rebuild_can_stop_at_any_stage(folder: Path, stage: str) -> None:
    await old_index(folder)
    damage_words(folder)
    killed(folder, "replace", stage)
    assert await what_is_there(folder) == NEW
    words_hold_the_database(folder)


@pytest.mark.parametrize("stage", ["vectors.before_commit", "vectors.committed"])
async def test_embedding_continues_where_it_stopped(folder: Path, stage: str) -> None:
    await old_index(folder)
    await act(folder, "replace")
    killed(folder, "vectors", stage)
    index = LocalIndex.open(folder, DigestEmbedder())
    pending = len(await index.pending(99))
    assert pending == (len(NEW) if stage == "vectors.before_commit" else 0)
    await embed(index, DigestEmbedder())
    found = await index.find(Search("new valve number3"), ANONYMOUS)
    assert (found.mode, found.warnings, found.hits[0].block.content) == ("hybrid", (), NEW[3])
    await index.aclose()


@pytest.mark.parametrize("stage", ["replace.before_commit", "replace.committed", "words.before_commit"])
async def test_the_first_document_of_an_index_can_stop_at_any_stage(folder: Path, stage: str) -> None:
    killed(folder, "replace", stage)
    assert await what_is_there(folder) == (() if stage == "replace.before_commit" else NEW)
    await act(folder, "replace")
    assert await what_is_there(folder) == NEW
    words_hold_the_database(folder)
