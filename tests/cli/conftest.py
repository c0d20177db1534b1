"""A command line with its own index and a folder of documents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from server.commands.group import ibid

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    monkeypatch.setenv("RAG_DATA_DIR", str(tmp_path / "index"))
    monkeypatch.setenv("RAG_EMBEDDER", "none")

    def ibid_with(*arguments: object) -> Result:
        return CliRunner().invoke(ibid, [str(one) for one in arguments])

    return ibid_with


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "pumps.md").write_text("# Pumps\n\nThe impeller turns at 2900 revolutions per minute.\n")
    return folder
