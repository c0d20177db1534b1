"""`ibid azure push` after a problem: killed, refused, damaged, index recreated, or another push at the same time."""

from __future__ import annotations

import signal
import sqlite3
import time
from pathlib import Path

import pytest
from filelock import FileLock

from corpus.index.azure.schema.create_indexes import content_index
from corpus.index.azure.upload import upload_journal
from corpus.index.azure.upload.upload_journal import JOURNAL_FILE as SENT
from corpus.index.azure.upload.upload_journal import LOCK, open_journal
from tests.azure.pushing import ALL, ANN, BOB, OURS, Pushing, document, late, prompt
from tests.azure.uploads import BLOCKS, DOCUMENTS, batches, by_id
from tests.doubles.azure_search import Fault
from tests.doubles.blob_storage import blob_storage
from tests.patience import PATIENCE
from tests.shelf import a_document, figure, texts

__all__ = ["late", "prompt"]


def wait_for(pushing: Pushing, count: int) -> None:
    ends = time.monotonic() + 60
    while len(batches(pushing.service, BLOCKS)) < count:
        assert time.monotonic() < ends
        time.sleep(0.02)


def test_a_late_batch_of_a_killed_push_is_readable_by_nobody(prompt: Pushing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload_journal, "LEASE", 8.0)
    prompt.put("m", "1", (ANN, BOB), "old", "older")
    prompt.service.faults.add(Fault(delay=3.0), 1, operation="batch", index=BLOCKS)
    process = prompt.shop.start("azure", "push", "--no-vectors")
    wait_for(prompt, 1)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=PATIENCE)
    prompt.put("m", "2", (ANN,), "new")
    said = prompt.push()
    assert "an upload of it was interrupted a moment ago" in said
    assert "1 pushed" in said
    assert prompt.readable(BOB) == set()
    assert prompt.readable(ANN) == {"new"}


def test_a_refused_push_is_not_waited_for(prompt: Pushing) -> None:
    prompt.put("m", "1", (ANN,), "one")
    prompt.push_cut_after_the_blocks()
    assert "interrupted" not in prompt.push()


def test_a_second_push_at_the_same_time_is_refused(prompt: Pushing) -> None:
    prompt.put("m", "1", (ANN,), "one")
    with FileLock(prompt.shop.folder / LOCK):
        result = prompt.shop.run("azure", "push", "--no-vectors")
    assert result.exit_code != 0
    assert "Another `ibid azure push` from this folder is running" in result.output
    assert prompt.service.documents(BLOCKS) == []


@pytest.mark.parametrize(
    ("first", "second", "third", "reader"),
    [((ANN, BOB), (ANN,), (BOB,), BOB), ((ALL,), (ANN,), (ANN, BOB), BOB)],
)
def test_an_outdated_list_does_not_decide_who_reads_the_stored_blocks(
    late: Pushing, first: tuple[str, ...], second: tuple[str, ...], third: tuple[str, ...], reader: str
) -> None:
    late.put("m", "1", first, "open")
    late.push("--public")
    late.settle()
    late.put("m", "2", second, "SECRET")
    late.push()
    late.put("m", "3", third, "open again")
    assert "1 failed" in late.push_cut(1, BLOCKS)
    assert "SECRET" not in late.readable(reader)


def test_an_outdated_list_does_not_reveal_a_title(late: Pushing) -> None:
    late.put("m", "1", (ALL,), "open")
    late.push("--public")
    late.settle()
    late.shop.put(a_document("m", access_control_list=(ANN,), content_hash="2", title="SECRET"), *texts("m", "x"))
    late.push()
    late.put("m", "3", (ALL,), "open again")
    late.service.faults.add(Fault(400), None, operation="batch", index=BLOCKS)
    late.push("--public")
    (row,) = late.service.documents(DOCUMENTS)
    assert row["title"] != "SECRET" or row["access_control_list"] == []


def test_a_revocation_applies_before_pictures_that_cannot_be_stored(
    prompt: Pushing, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        prompt.put(name, "1", (ANN, BOB), f"old {name}")
    prompt.push()
    with blob_storage() as container:
        container.refuses = 400
        monkeypatch.setenv("AZURE_STORAGE_CONTAINER_URL", container.signed_url())
        for name in ("a", "b"):
            prompt.shop.put(document(name, "2", (ANN,)), figure(name, "Impeller"), *texts(name, "new"))
        assert "pushed" not in prompt.push().replace("push ", "")
        assert container.refused
    assert prompt.readable(BOB) == set()


def test_a_revocation_applies_even_if_the_new_text_is_too_large(prompt: Pushing) -> None:
    prompt.put("m", "1", (ANN, BOB), "old")
    prompt.push()
    prompt.put("m", "2", (ANN,), "y" * 16_000_000)
    assert "has 16 MB" in prompt.push()
    assert prompt.readable(BOB) == set()


def test_a_waiting_document_is_closed_even_if_its_row_cannot_be_found_yet(late: Pushing) -> None:
    late.put("m", "1", (ANN, BOB), "one")
    late.push()
    late.shop.set(RAG_EMBEDDER=None)
    late.shop.put(a_document("m", access_control_list=(ANN,), content_hash="2", status="text"), *texts("m", "two"))
    assert "1 waiting" in late.shop.run("azure", "push").output
    assert late.readers("m") == []
    assert late.readable(BOB) == set()
    late.shop.set(RAG_EMBEDDER="none")
    late.settle()
    late.put("m", "1", (ANN, BOB), "one")
    assert "1 pushed" in late.push()
    assert late.readable(BOB) == {"one"}


def test_a_briefly_busy_row_is_narrowed_and_not_deleted(prompt: Pushing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload_journal, "SETTLED", 0.0)
    prompt.put("m", "1", (ANN, BOB), "one", "two")
    prompt.push()
    busy = [{"key": f"m-{n}", "status": False, "errorMessage": "busy", "statusCode": 503} for n in range(2)]
    prompt.shop.set(RAG_EMBEDDER=None)
    waiting = a_document("m", access_control_list=(ANN,), content_hash="2", status="text")
    prompt.shop.put(waiting, *texts("m", "one", "two", "three"))
    prompt.service.faults.add(Fault(207, body={"value": busy}), operation="batch", index=BLOCKS)
    prompt.shop.run("azure", "push")
    assert prompt.readable(ANN) == {"one", "two"}
    assert prompt.readable(BOB) == set()


def test_a_damaged_record_is_put_aside_and_ignored_for_that_run(prompt: Pushing) -> None:
    prompt.put("m", "1", (ANN,), "one")
    prompt.push()
    (prompt.shop.folder / SENT).write_bytes(b"rubbish" * 500)
    prompt.put("m", "2", (ANN,), "two")
    assert "was lost, and a new record was started" in prompt.push()
    assert "1 pushed" in prompt.push()
    assert "1 unchanged" in prompt.push()


def test_a_locked_record_is_reported(prompt: Pushing, monkeypatch: pytest.MonkeyPatch) -> None:
    prompt.put("m", "1", (ANN,), "one")
    prompt.push()
    prompt.put("m", "2", (ANN,), "two")
    usual = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *given, **how: usual(*given, **how | {"timeout": 0.1}))
    with usual(prompt.shop.folder / SENT) as other:
        other.execute("BEGIN EXCLUSIVE")
        result = prompt.shop.run("azure", "push", "--no-vectors")
    assert "The record of what was sent cannot be" in result.output
    assert result.exit_code != 0


def remake_blocks(pushing: Pushing, name: str = BLOCKS) -> None:
    pushing.service._does.indexes.pop(name, None)
    pushing.service.put_index(content_index(name, dimensions=384, mark=OURS).as_dict())


def test_a_recreated_index_is_filled_even_if_its_first_push_is_of_one_document(
    prompt: Pushing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload_journal, "LEASE", 0.0)
    for name in ("a", "b", "c"):
        prompt.put(name, "1", (ANN,), name)
    prompt.push()
    remake_blocks(prompt)
    prompt.push("a")
    assert "2 pushed, 1 unchanged" in prompt.push()
    assert set(by_id(prompt.service)) == {"a-0", "b-0", "c-0"}


def test_another_block_index_for_the_same_documents_is_filled(prompt: Pushing) -> None:
    prompt.put("a", "1", (ANN,), "a")
    prompt.push()
    remake_blocks(prompt, "blocks-2")
    prompt.service.put_documents("blocks-2", [{"block_id": "x", "doc_id": "x", "access_control_list": []}])
    prompt.shop.set(AZURE_SEARCH_CONTENT_INDEX="blocks-2")
    assert "1 pushed" in prompt.push()
    assert {row["block_id"] for row in prompt.service.documents("blocks-2")} == {"x", "a-0"}


def test_an_interrupted_removal_leaves_no_empty_document(prompt: Pushing) -> None:
    prompt.put("m", "1", (ANN,), "one")
    prompt.put("n", "1", (ANN,), "n")
    prompt.push()
    prompt.shop.remove("m")
    prompt.service.faults.add(Fault(), 1, operation="batch", index=DOCUMENTS)
    prompt.service.faults.add(Fault(400), None, operation="batch", index=DOCUMENTS)
    assert "failed" in prompt.push("--prune")
    prompt.service.faults.clear()
    prompt.put("m", "1", (ANN,), "one")
    assert "1 pushed, 1 unchanged" in prompt.push()
    assert prompt.readable(ANN) == {"one", "n"}


def test_a_document_restored_immediately_is_there(late: Pushing) -> None:
    late.put("m", "1", (ANN,), "one")
    late.put("n", "1", (ANN,), "n")
    late.push()
    late.settle()
    late.shop.remove("m")
    assert "1 removed" in late.push("--prune")
    late.put("m", "1", (ANN,), "one")
    assert "1 pushed" in late.push()
    late.settle()
    assert late.readable(ANN) == {"one", "n"}


def test_a_row_that_cannot_be_removed_does_not_stop_the_others(prompt: Pushing) -> None:
    for name in ("a", "b", "c"):
        prompt.put(name, "1", (ANN,), name)
    prompt.push()
    for name in ("a", "b"):
        prompt.shop.remove(name)
    refused = {"value": [{"key": "a-0", "status": False, "errorMessage": "no", "statusCode": 400}]}
    prompt.service.faults.add(Fault(207, body=refused), 3, operation="batch", index=BLOCKS)
    said = prompt.push("--prune")
    assert "failed    a" in said
    assert "1 unchanged, 1 failed, 1 removed" in said


def test_a_dry_run_reports_what_prune_and_pictures_would_do(prompt: Pushing, monkeypatch: pytest.MonkeyPatch) -> None:
    prompt.shop.put(document("m", "1", (ANN,)), figure("m", "Impeller"), *texts("m", "x"))
    prompt.put("gone", "1", (ANN,), "x")
    prompt.push()
    prompt.shop.remove("gone")
    monkeypatch.setenv("AZURE_STORAGE_CONTAINER_URL", "https://acme.blob.core.windows.net/figures?sig=x")
    said = prompt.push("--dry-run", "--prune")
    assert "would be removed gone" in said
    assert "Would be: 1 pushed, 1 removed" in said
    assert len(by_id(prompt.service)) == 3


def test_a_document_named_twice_is_pushed_once(prompt: Pushing) -> None:
    prompt.put("m", "1", (ANN,), "one")
    assert "1 pushed." in prompt.push("m", "m.pdf")


def test_three_service_failures_end_the_run_even_if_not_consecutive(prompt: Pushing) -> None:
    for n in range(12):
        prompt.put(f"d{n:02}", "1", (ANN,) if n % 2 else (ALL,), "x")
    prompt.service.faults.add(Fault(500), None, operation="batch", index=DOCUMENTS)
    said = prompt.push()
    assert said.count("\nfailed") <= 5
    assert "Error: " in said


def test_a_clock_set_back_does_not_delay_a_push(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record with a date in the future is treated as one of the present."""
    true = time.time
    monkeypatch.setattr(upload_journal.time, "time", lambda: true() + 86_400)
    with open_journal(tmp_path, "place") as journal:
        journal.sends("a", ["a-1"])
        journal.finished("b", ["b-1"], "mark of tomorrow")
    monkeypatch.setattr(upload_journal.time, "time", true)
    with open_journal(tmp_path, "place") as journal:
        waits = journal.begins("a").arriving_until - time.monotonic()
        assert 0 < waits <= upload_journal.LEASE
        assert journal.block_ids("a") == {"a-1"}
        assert journal.outdated("b", "mark of today")
        assert journal.begins("b").arriving_until == 0.0
