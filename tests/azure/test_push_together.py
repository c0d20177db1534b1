"""Two folders that push the same ids at the same time, and an index with more documents than the service shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from corpus.index.azure import view
from corpus.index.azure.upload import previous_version
from corpus.index.azure.upload.remote_state import UploadMark, parse_mark
from corpus.index.azure.upload.uploading import SecondLook
from tests.azure.pushing import ANN, BOB, Pushing, prompt
from tests.azure.uploads import BLOCKS, DOCUMENTS

__all__ = ["prompt"]

THEIRS = UploadMark("feedfeedfeedfeed", "c" * 24, "f" * 24)
Meddle = Callable[[Pushing], None]


def meanwhile(monkeypatch: pytest.MonkeyPatch, pushing: Pushing, meddle: Meddle) -> None:
    """Let another folder's rows arrive after those of this run and before its second check."""
    look = SecondLook.await_marks

    async def meddled_with(self: SecondLook, final: Mapping[str, UploadMark]) -> dict[str, UploadMark]:
        meddle(pushing)
        return await look(self, final)

    monkeypatch.setattr(SecondLook, "await_marks", meddled_with)


def rows(pushing: Pushing, index: str) -> dict[str, dict[str, Any]]:
    key = "block_id" if index == BLOCKS else "doc_id"
    return {row[key]: row for row in pushing.service.documents(index)}


def change(pushing: Pushing, index: str, key: str, **values: Any) -> None:
    pushing.service.put_documents(index, [rows(pushing, index)[key] | values])


def their_text_under_our_list(pushing: Pushing) -> None:
    change(pushing, BLOCKS, "m-0", content="theirs")


def their_list_on_our_text(pushing: Pushing) -> None:
    change(pushing, BLOCKS, "m-0", access_control_list=[BOB])


def a_row_of_theirs_beside_ours(pushing: Pushing) -> None:
    row = rows(pushing, BLOCKS)["m-0"]
    pushing.service.put_documents(
        BLOCKS, [row | {"block_id": "m-9", "content": "theirs", "access_control_list": [BOB]}]
    )


def their_mark_last(pushing: Pushing) -> None:
    change(pushing, DOCUMENTS, "m", pushed=str(THEIRS), access_control_list=[BOB])
    change(pushing, BLOCKS, "m-0", access_control_list=[BOB])


MEDDLING = (their_text_under_our_list, their_list_on_our_text, a_row_of_theirs_beside_ours, their_mark_last)


@pytest.mark.parametrize("meddle", MEDDLING)
def test_a_document_left_by_two_folders_is_closed_and_pushed_again(
    prompt: Pushing, monkeypatch: pytest.MonkeyPatch, meddle: Meddle
) -> None:
    with monkeypatch.context() as patch:
        meanwhile(patch, prompt, meddle)
        prompt.put("m", "1", (ANN,), "ours")
        said = " ".join(prompt.push().split())
    assert "another folder pushed a document of this id at the same time" in said
    assert prompt.readable(BOB) == set()
    assert prompt.readable(ANN) <= {"ours"}
    mark = parse_mark(rows(prompt, DOCUMENTS)["m"]["pushed"])
    assert mark
    assert mark == mark.unfinished
    assert "1 pushed" in prompt.push("--take-over")
    assert prompt.readable(ANN) == {"ours"}
    assert prompt.readable(BOB) == set()


def test_their_text_under_our_new_list_is_closed(prompt: Pushing, monkeypatch: pytest.MonkeyPatch) -> None:
    prompt.put("m", "1", (ANN, BOB), "ours")
    prompt.push()
    meanwhile(monkeypatch, prompt, their_text_under_our_list)
    prompt.put("m", "1", (ANN,), "ours")  # an update of the list alone, which is merged into the existing row
    assert "another folder" in " ".join(prompt.push().split())
    assert "theirs" not in prompt.readable(ANN)


def test_an_undisturbed_push_prints_no_warning(prompt: Pushing) -> None:
    prompt.put("m", "1", (ANN,), "ours")
    assert "another folder" not in prompt.push()
    assert "1 unchanged" in prompt.push()


@pytest.fixture
def narrow_view(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the service show only four rows of each query, two at a time."""
    monkeypatch.setattr(view, "MAX_ROWS", 2)
    monkeypatch.setattr(previous_version, "MAX_SHOWN_ROWS", 4)


@pytest.mark.parametrize("dated", [True, False])
def test_prune_checks_all_documents_or_reports_what_it_did_not_see(
    prompt: Pushing, narrow_view: None, monkeypatch: pytest.MonkeyPatch, dated: bool
) -> None:
    for n in range(11):
        prompt.put(f"d{n}", "1", (ANN,), f"text {n}")
    prompt.push()
    for n in range(11):
        day = f"2026-03-{n + 1:02}T10:00:00Z" if dated and n else None
        change(prompt, DOCUMENTS, f"d{n}", upload_date=day)
    for n in range(2, 11):
        prompt.shop.remove(f"d{n}")
    (prompt.shop.folder / "azure-sent.sqlite").unlink()  # with a record, the service need not show the rows
    said = " ".join(prompt.push("--prune").split())
    if dated:
        assert "9 removed" in said
        assert "were not checked" not in said
        assert set(rows(prompt, DOCUMENTS)) == {"d0", "d1"}
    else:
        assert "documents of the index were not checked" in said
