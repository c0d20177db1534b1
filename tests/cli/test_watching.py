"""`ibid ingest --watch` in a separate process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus.ingestion.run_log import read_log
from tests.doubles.raw_stdio import environment
from tests.patience import PATIENCE


@pytest.fixture
def tmp_path(on_disk: Path) -> Path:
    return on_disk


IBID = str(Path(sys.executable).with_name("ibid"))


class Watching:
    """A command that keeps running. `until` waits for a line of its output."""

    def __init__(self, *arguments: str, env: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [IBID, "ingest", "--watch", *arguments], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self._timer = threading.Timer(PATIENCE, self.process.kill)
        self._timer.start()

    def until(self, words: str) -> str:
        assert self.process.stdout
        seen = []
        while line := self.process.stdout.readline().decode():
            seen.append(line)
            if words in line:
                return line
        raise AssertionError(f"{words!r} never came; it said {seen}")

    def end(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        self._timer.cancel()
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return environment(RAG_DATA_DIR=str(tmp_path / "index"), RAG_EMBEDDER="none", PYTHONUNBUFFERED="1", COLUMNS="200")


@pytest.fixture
def watching(notes: Path, env: dict[str, str]) -> Iterator[Watching]:
    command = Watching(str(notes), env=env)
    yield command
    command.close()


@pytest.mark.skipif(os.name == "nt", reason="sends signals")
def test_watch_ingests_changes_and_ends_at_an_interrupt(watching: Watching, notes: Path, tmp_path: Path) -> None:
    watching.until("1 added.")
    watching.until("Watching for changes")
    (notes / "valves.md").write_text("The seat closes tightly.")
    assert "valves.md" in watching.until("added")
    (notes / "valves.md").unlink()
    assert "valves.md" in watching.until("missing")
    (run,) = read_log(tmp_path / "index").runs
    assert (run.alive, run.watches, run.roots) == (True, True, (str(notes),))
    assert watching.end(signal.SIGINT) == 130
    assert read_log(tmp_path / "index").runs == ()


def test_with_prune_vanished_documents_are_removed(notes: Path, env: dict[str, str]) -> None:
    (notes / "valves.md").write_text("The seat closes tightly.")
    command = Watching(str(notes), "--prune", env=env)
    try:
        command.until("Watching for changes")
        (notes / "valves.md").unlink()
        assert "valves.md" in command.until("removed")
    finally:
        command.close()
