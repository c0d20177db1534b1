"""Search, list and get report a source that has changed since it was indexed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from corpus.documents.staleness import MAX_SENTENCES, stale_warnings
from tests.server.desk import Desk, manual, passage
from tests.values import document

pytestmark = pytest.mark.anyio

CALLS = [
    ("rag_semantic_search", {"query": "impeller"}),
    ("rag_list_documents", {}),
    ("rag_get_document", {"doc_id": "pump"}),
]


async def indexed(desk: Desk, path: Path) -> None:
    path.write_text("The impeller turns.")
    state = path.stat()
    source = manual(source_path=str(path), source_size=state.st_size, source_mtime_ns=state.st_mtime_ns)
    await desk.put(source, [passage("The impeller turns.")])


async def said_of_source(desk: Desk, tool: str, arguments: dict[str, str]) -> list[str]:
    warnings = (await desk.call(tool, **arguments)).get("warnings", [])
    return [one for one in warnings if "indexed" in one]


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
async def test_a_changed_and_a_vanished_source_are_reported(
    desk: Desk, tmp_path: Path, tool: str, arguments: dict[str, str]
) -> None:
    path = tmp_path / "pump.txt"
    await indexed(desk, path)
    assert await said_of_source(desk, tool, arguments) == []
    path.write_text("The volute guides.")
    (said,) = await said_of_source(desk, tool, arguments)
    assert "changed since it was indexed" in said
    path.rename(tmp_path / "moved.txt")
    (said,) = await said_of_source(desk, tool, arguments)
    assert "no longer where it was indexed from" in said


def test_many_stale_sources_are_counted_and_some_named(tmp_path: Path) -> None:
    gone = [document(f"d{n}", source_path=str(tmp_path / f"d{n}.pdf")) for n in range(MAX_SENTENCES + 1)]
    (said,) = stale_warnings(gone)
    assert said.startswith(f"{MAX_SENTENCES + 1} documents are no longer where")
    assert "d0.pdf" in said
    assert f"d{MAX_SENTENCES}.pdf" not in said


def test_a_source_that_cannot_be_checked_is_not_reported_as_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "stat", refused)
    (said,) = stale_warnings([document(source_path="/closed/a.pdf")])
    assert "cannot be accessed" in said
