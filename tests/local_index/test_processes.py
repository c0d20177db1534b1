"""Several processes with one index: a reader sees a new document in its next search, and nobody sees an error."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import anyio
import pytest

from corpus.access import ANONYMOUS
from corpus.errors import Timeout
from corpus.index.local import LocalIndex
from corpus.index.local.store import FILE
from corpus.search import Search
from tests.doubles.digest_embedder import DigestEmbedder
from tests.local_index.child import ROOT
from tests.local_index.inside import words_hold_the_database
from tests.shelf import a_document, ids, texts

pytestmark = pytest.mark.anyio


@contextmanager
def process(folder: Path, action: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.local_index.child", str(folder), action]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        yield child
        assert child.stdin
        child.stdin.close()
        assert child.wait(60) == 0


def ask(child: subprocess.Popen[str], line: str) -> str:
    assert child.stdin
    assert child.stdout
    child.stdin.write(f"{line}\n")
    child.stdin.flush()
    return child.stdout.readline().strip()


async def test_two_reading_processes_see_each_document_in_their_next_search(folder: Path) -> None:
    index = LocalIndex.open(folder, DigestEmbedder())
    with process(folder, "many") as writer, process(folder, "read") as reader:
        for n in range(15):
            assert ask(writer, f"doc{n}") == f"doc{n}"
            assert ask(reader, f"uniquedoc{n}") == f"doc{n}-0"
            assert ids(await index.find(Search(f"uniquedoc{n}"), ANONYMOUS))[0] == f"doc{n}-0"
    await index.aclose()
    words_hold_the_database(folder)


async def test_readers_get_no_error_while_a_process_writes(folder: Path) -> None:
    """Every answer contains complete documents of two blocks, never fewer than the previous answer, and all that exist,
    unless it reports otherwise."""
    index = LocalIndex.open(folder, DigestEmbedder())
    await index.replace(a_document("doc"), texts("doc", "unique pump", "second"))
    with process(folder, "many") as writer:
        assert writer.stdin
        writer.stdin.write("".join(f"doc{n}\n" for n in range(20)))
        writer.stdin.flush()
        counted = found = 0
        while counted < 21:
            counts = await index.counts(ANONYMOUS)
            answer = await index.find(Search("pump", top_k=50), ANONYMOUS)
            assert counts.blocks == 2 * counts.documents >= 2 * counted
            assert len(answer.hits) >= found
            assert len(answer.hits) >= counts.documents or any("up to date" in w for w in answer.warnings)
            counted, found = counts.documents, len(answer.hits)
    await index.aclose()


async def test_two_writers_take_turns(folder: Path) -> None:
    index = LocalIndex.open(folder, DigestEmbedder())
    with process(folder, "many") as writer:
        assert writer.stdin
        writer.stdin.write("".join(f"theirs{n}\n" for n in range(10)))
        writer.stdin.flush()
        for n in range(10):
            await index.replace(a_document(f"ours{n}"), texts(f"ours{n}", "pump", "second"))
    assert (await index.counts(ANONYMOUS)).documents == 20
    assert len((await index.find(Search("pump", top_k=50), ANONYMOUS)).hits) == 20
    await index.aclose()
    words_hold_the_database(folder)


async def test_writers_and_readers_of_one_process_run_concurrently(folder: Path) -> None:
    index = LocalIndex.open(folder, DigestEmbedder())

    async def write(n: int) -> None:
        await index.replace(a_document(f"d{n}"), texts(f"d{n}", "pump", "second"))

    async def read() -> None:
        for _ in range(10):
            counts = await index.counts(ANONYMOUS)
            assert counts.blocks == 2 * counts.documents
            await index.find(Search("pump"), ANONYMOUS)

    async with anyio.create_task_group() as group:
        for n in range(10):
            group.start_soon(write, n)
            group.start_soon(read)
    assert len((await index.find(Search("pump", top_k=50), ANONYMOUS)).hits) == 10
    await index.aclose()
    words_hold_the_database(folder)


async def test_a_writer_that_waited_too_long_is_told_to_retry_later(folder: Path) -> None:
    index = LocalIndex.open(folder, None, busy_seconds=0.05)
    await index.replace(a_document(), texts("manual", "pump"))
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Timeout, match="Try again"):
            await index.remove("manual")
        assert len((await index.find(Search("pump"), ANONYMOUS)).hits) == 1
    await index.remove("manual")
    await index.aclose()
