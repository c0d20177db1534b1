"""`ibid doctor` on a local index."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def test_a_healthy_index_passes_each_check(run, notes: Path) -> None:
    run("ingest", notes)
    result = run("doctor")
    assert result.exit_code == 0, result.output
    for text in (
        "ok       folder: ", "note     identity: none is set", "note     embedder: off",
        "ok       index: 1 documents, 1 blocks", "ok       readers: a file was read", "All is well.",
    ):  # fmt: skip
        assert text in result.output


def test_a_new_machine_is_told_how_to_begin(run) -> None:
    result = run("doctor")
    assert result.exit_code == 0
    assert "there is no index. `ibid ingest FOLDER` creates one" in result.output


def test_an_unchecked_service_is_reported_as_such(run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "RAG_BACKEND=azure ibid doctor" not in run("doctor").output
    monkeypatch.setenv("AZURE_SEARCH_ENDPOINT", "https://name.search.windows.net")
    assert "note     service: AZURE_SEARCH_ENDPOINT is set" in run("doctor").output


def test_the_embedder_is_tried(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_EMBEDDER", "packaged")
    assert "384 dimensions, a query in" in run("doctor").output


def test_missing_vectors_are_a_warning(run, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_EMBEDDER", "packaged")
    run("ingest", notes, "--no-vectors")
    output = run("doctor").output
    assert "warning  index: 1 documents" in output
    assert "1 vectors are pending" in output


def test_a_missing_embedder_is_a_failure(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_EMBEDDER", "openai")
    monkeypatch.setenv("RAG_EMBEDDER_MODEL", "text-embedding-3-small")
    monkeypatch.setenv("RAG_EMBEDDER_BASE_URL", "http://127.0.0.1:1/v1")
    result = run("doctor")
    assert result.exit_code == 1
    assert "failed   embedder: " in result.output


def test_a_damaged_index_is_a_failure(run, notes: Path, tmp_path: Path) -> None:
    run("ingest", notes)
    (tmp_path / "index" / "index.sqlite3").write_bytes(b"no database at all, of some length" * 100)
    result = run("doctor")
    assert result.exit_code == 1
    assert "failed   index: " in result.output
    assert "Traceback" not in result.output


def test_work_that_cannot_be_interrupted_ends_with_the_process() -> None:
    hangs = (
        "import time, server.commands.doctor.doctor as d; d.AT_LAST = 0.2\n"
        "with d._ends(lambda: 'does not answer'): time.sleep(60)"
    )
    done = subprocess.run([sys.executable, "-c", hangs], capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode == 1
    assert "does not answer" in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="rights of POSIX")
@pytest.mark.parametrize(("mode", "who"), [(0o770, "its group"), (0o777, "everybody"), (0o755, None)])
def test_a_data_folder_that_others_can_write_is_reported_with_the_fix(
    run, notes: Path, tmp_path: Path, mode: int, who: str | None
) -> None:
    run("ingest", notes)
    (tmp_path / "index").chmod(mode)
    output = " ".join(run("doctor").output.split())
    assert (f"is writable by {who}" in output) is bool(who)
    assert ("chmod go-w" in output) is bool(who)
