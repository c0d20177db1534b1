"""Stored document data is readable only by its owner, even in a folder that others may enter."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

SECRETS = {
    "RAG_LLM_API_KEY": "planted-llm-secret",
    "AZURE_SEARCH_API_KEY": "planted-search-secret",
    "AZURE_OPENAI_API_KEY": "planted-openai-secret",
    "RAG_EMBEDDER_API_KEY": "planted-embedder-secret",
    "RAG_HTTP_KEYS": "planted-first-http-secret-of-many-letters,planted-second-http-secret-of-many-letters",
}
PLANTED = "planted-"
PLACES = {
    "RAG_LLM_BASE_URL": "http://127.0.0.1:9/v1",
    "RAG_LLM_MODEL": "m",
    "RAG_API_KEYS": "/nowhere/keys.json",
}


def ibid(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RAG_", "AZURE_"))}
    return subprocess.run(
        [sys.executable, "-c", "from server.cli import main; main()", *arguments],
        check=False,
        env=kept | {"RAG_DATA_DIR": str(folder), "RAG_EMBEDDER": "none"} | more,
        capture_output=True,
        text=True,
        timeout=120,
        input="",
    )


@pytest.mark.skipif(os.name != "posix", reason="rights of files as POSIX has them")
def test_nobody_else_reads_an_index_in_a_folder_that_was_open_to_all(tmp_path: Path) -> None:
    folder, note = tmp_path / "data", tmp_path / "note.md"
    folder.mkdir(mode=0o755)
    note.write_text("# Pump\n\nThe pump moves water.\n")
    before = os.umask(0)
    try:
        done = ibid(folder, "ingest", str(note), "--no-vectors")
    finally:
        os.umask(before)

    assert done.returncode == 0, done.stderr
    assert list(folder.iterdir())
    assert [one for one in folder.rglob("*") if _reached_by_others(one, folder)] == []


def _reached_by_others(path: Path, folder: Path) -> bool:
    """Return whether the permissions of this path and of all parent folders let another user in."""
    way = [path, *(one for one in path.parents if folder in one.parents)]
    return all(stat.S_IMODE(one.stat().st_mode) & 0o077 for one in way)


@pytest.mark.parametrize(
    "command",
    [
        ("config",),
        ("config", "--mcp"),
        ("status",),
        ("doctor",),
        ("serve", "--http", "0.0.0.0:0"),
        ("ask", "What?"),
    ],
    ids=" ".join,
)
def test_no_command_reveals_a_secret(tmp_path: Path, command: tuple[str, ...]) -> None:
    done = ibid(tmp_path / "data", *command, **SECRETS, **PLACES, RAG_LOG_LEVEL="DEBUG")

    assert done.stdout + done.stderr
    assert "RAG_HTTP_KEYS" not in done.stderr, "the settings are valid"
    assert PLANTED not in done.stdout + done.stderr


@pytest.mark.parametrize("name", ["RAG_HTTP_KEYS", "RAG_LLM_BASE_URL", "AZURE_SEARCH_ENDPOINT"])
def test_a_secret_in_the_wrong_setting_is_not_repeated(tmp_path: Path, name: str) -> None:
    done = ibid(tmp_path / "data", "config", **{name: "planted-short"}, RAG_BACKEND="azure")

    assert PLANTED not in done.stdout + done.stderr
    assert done.returncode == 2
