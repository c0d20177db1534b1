"""`ibid azure push` and access rights: after an interruption, with delays and without a local record, nobody who lost
the right can read a row of an earlier version."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.index.azure.schema.create_indexes import content_index, documents_index
from corpus.index.azure.upload.remote_state import parse_mark
from corpus.index.azure.upload.upload_journal import JOURNAL_FILE as SENT
from corpus.index.azure.upload.upload_journal import ORIGIN_FILE as ORIGIN
from tests.azure.pushing import ANN, BOB, OURS, Pushing, late, prompt
from tests.azure.shops import Shop
from tests.azure.uploads import BLOCKS, DOCUMENTS, by_id
from tests.doubles.azure_search import Fault, StandIn
from tests.shelf import a_document, texts

__all__ = ["late", "prompt"]

pytestmark = pytest.mark.filterwarnings("ignore:Sending a large body:ResourceWarning")


def remake(service: StandIn, **changed: object) -> None:
    """Recreate the block index with another kind of key."""
    made = content_index(BLOCKS, dimensions=384, mark=OURS)
    for field in made.fields:
        if field.name == "block_id":
            field["sortable"] = changed["sortable"]
    del service._does.indexes[BLOCKS]
    service.put_index(made.as_dict())


@pytest.mark.parametrize(
    ("known", "sortable"),
    [
        (True, False),
        pytest.param(True, True, marks=pytest.mark.slow),
        pytest.param(False, True, marks=pytest.mark.slow),
        pytest.param(False, False, marks=pytest.mark.slow),
    ],
)
def test_revoked_readers_keep_none_of_thousands_of_blocks(prompt: Pushing, known: bool, sortable: bool) -> None:
    remake(prompt.service, sortable=sortable)
    prompt.shop.set(RAG_PRINCIPAL_PREFIXES="true")
    if not known:
        prompt.service.faults.add(Fault(403), None, operation="get_index")
    prompt.put("m", "1", (ANN, BOB), *[f"secret {n}" for n in range(3000)])
    prompt.push()
    (prompt.shop.folder / SENT).unlink()  # so that only the service has a record
    prompt.put("m", "2", (ANN,), "new")
    assert "1 pushed" in prompt.push()
    assert prompt.readable(BOB) == set()
    assert prompt.readable(ANN) == {"new"}


def test_a_document_of_thousands_of_blocks_is_removed_completely(prompt: Pushing) -> None:
    remake(prompt.service, sortable=False)
    prompt.put("m", "1", (ANN,), *map(str, range(3000)))
    prompt.put("other", "1", (ANN,), "x")
    prompt.push()
    (prompt.shop.folder / SENT).unlink()
    prompt.shop.remove("m")
    assert "1 removed" in prompt.push("--prune")
    assert prompt.readable(ANN) == {"x"}


def test_blocks_of_an_interrupted_upload_are_removed_even_if_they_cannot_be_found_yet(late: Pushing) -> None:
    late.put("m", "1", (ANN, BOB), "one", "two", "three")
    late.push_cut_after_the_blocks()
    late.put("m", "2", (ANN,), "new")
    assert "1 pushed" in late.push()
    assert late.readable(BOB) == set()
    assert late.readable(ANN) == {"new"}


def test_blocks_of_a_complete_upload_are_removed_even_if_they_cannot_be_found_yet(late: Pushing) -> None:
    late.put("m", "1", (ANN, BOB), "one", "two", "three")
    late.push()
    late.put("m", "2", (ANN,), "new")
    assert "1 pushed" in late.push()
    assert (late.readable(BOB), late.readable(ANN)) == (set(), {"new"})


def test_an_outdated_mark_is_not_trusted(late: Pushing) -> None:
    late.put("m", "1", (ANN, BOB), "old")
    late.push()
    late.settle()
    late.put("m", "2", (ANN,), "new")
    late.push()
    late.put("m", "1", (ANN, BOB), "old")  # the old list again, and the mark in the service still contains it
    assert "1 pushed" in late.push()
    assert late.readable(BOB) == {"old"}


@pytest.mark.parametrize("lost", [(), (SENT,), (SENT, ORIGIN)])
def test_blocks_of_an_interrupted_upload_always_have_a_row_that_records_them(
    prompt: Pushing, lost: tuple[str, ...]
) -> None:
    prompt.put("m", "1", (BOB,), "secret", "two")
    prompt.push_cut_after_the_blocks()
    (row,) = prompt.service.documents(DOCUMENTS)
    assert (row["doc_id"], row["access_control_list"]) == ("m", [])
    for name in lost:
        (prompt.shop.folder / name).unlink()
    prompt.shop.remove("m")
    output = prompt.push("--prune")
    if ORIGIN in lost:
        assert "removed" not in output  # it may belong to somebody else
    else:
        assert "1 removed" in output
        assert prompt.readable(BOB) == set()


def test_an_interrupted_upload_of_a_removed_document_is_reported_and_removed_even_if_unsearchable(
    late: Pushing,
) -> None:
    late.put("m", "1", (BOB,), "secret")
    late.push_cut_after_the_blocks()
    late.shop.remove("m")
    assert "1 gone" in late.push()
    assert "1 removed" in late.push("--prune")
    assert late.service.documents(BLOCKS) == late.service.documents(DOCUMENTS) == []
    assert "no documents" in late.push()


def test_a_revocation_does_not_wait_for_vectors_of_an_interrupted_upload(prompt: Pushing) -> None:
    prompt.put("m", "1", (ANN, BOB), "secret", "two")
    prompt.push_cut_after_the_blocks()
    (prompt.shop.folder / SENT).unlink()
    prompt.shop.set(RAG_EMBEDDER=None)
    waiting = a_document("m", access_control_list=(ANN,), content_hash="2", status="text")
    prompt.shop.put(waiting, *texts("m", "secret", "two", "three"))
    assert "1 waiting" in prompt.shop.run("azure", "push").output
    assert prompt.readable(BOB) == set()


def test_an_emptied_folder_can_be_pruned(prompt: Pushing) -> None:
    prompt.put("m", "1", (BOB,), "one")
    prompt.push()
    prompt.shop.remove("m")
    assert "1 gone" in prompt.push()
    assert "1 removed" in prompt.push("--prune")
    assert prompt.service.documents(BLOCKS) == prompt.service.documents(DOCUMENTS) == []


def without_marks(service: StandIn) -> None:
    made = documents_index(DOCUMENTS, mark=OURS)
    made.fields = [one for one in made.fields if one.name != "pushed"]
    del service._does.indexes[DOCUMENTS]
    service.put_index(made.as_dict())


def test_without_marked_rows_only_documents_sent_from_this_folder_are_replaced(prompt: Pushing) -> None:
    without_marks(prompt.service)
    foreign = {"doc_id": "m", "filename": "f.pdf", "access_control_list": ["user:zoe"]}
    prompt.service.put_documents(DOCUMENTS, [foreign])
    prompt.put("m", "1", (ANN,), "mine")
    prompt.put("own", "1", (ANN,), "own")
    assert "1 pushed, 1 refused" in prompt.push()
    assert "1 pushed, 1 refused" in prompt.push()
    assert prompt.readable(ANN) == {"own"}
    assert "2 pushed" in prompt.push("--take-over")
    assert prompt.readable(ANN) == {"own", "mine"}


def test_a_foreign_document_is_recognised_even_among_too_many_to_check(
    prompt: Pushing, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = [{"doc_id": f"a{n:04}", "filename": "x", "access_control_list": []} for n in range(2500)]
    prompt.service.put_documents(DOCUMENTS, [*many, {"doc_id": "m", "filename": "x", "access_control_list": []}])
    monkeypatch.setattr("corpus.index.azure.upload.previous_version.MAX_SHOWN_ROWS", 1000)
    prompt.put("m", "1", (ANN,), "mine")
    assert "1 refused" in prompt.push()
    assert prompt.readable(ANN) == set()


def test_folders_that_cannot_store_a_name_count_as_different(
    prompt: Pushing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Pushing(Shop(tmp_path / "other", prompt.service, monkeypatch))
    for one, text in ((prompt, "first"), (other, "second")):
        one.shop.set(RAG_DATA_DIR=str(one.shop.folder))
        one.put("m", text, (ANN,), text)
        (one.shop.folder / ORIGIN).mkdir()
        said = one.push()
    assert "of another data folder" in said
    assert prompt.readable(ANN) == {"first"}


def test_taking_over_an_identical_document_makes_it_ours(
    prompt: Pushing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompt.put("m", "1", (ANN,), "same")
    prompt.push()
    (before,) = prompt.service.documents(DOCUMENTS)
    other = Pushing(Shop(tmp_path / "other", prompt.service, monkeypatch))
    other.put("m", "1", (ANN,), "same")
    assert "1 unchanged" in other.push()
    assert "1 updated" in other.push("--take-over")
    (after,) = prompt.service.documents(DOCUMENTS)
    assert _origin(after["pushed"]) != _origin(before["pushed"])
    assert "1 unchanged" in other.push()
    assert set(by_id(prompt.service)) == {"m-0"}


def test_a_dry_run_leaves_no_record(prompt: Pushing) -> None:
    prompt.put("m", "1", (ANN,), "one")
    assert "Would be: 1 pushed" in prompt.push("--dry-run")
    assert not (prompt.shop.folder / SENT).exists()
    assert not (prompt.shop.folder / ORIGIN).exists()


def _origin(mark: str) -> str:
    found = parse_mark(mark)
    assert found is not None
    return found.origin
