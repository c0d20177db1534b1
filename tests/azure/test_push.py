"""`ibid azure push`: the result for each document, and a second run after an interrupted one."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from corpus.embedding.packaged import PackagedEmbedder
from corpus.index.azure.schema.create_indexes import documents_index
from corpus.index.azure.schema.index_schema import Mark
from corpus.index.azure.upload import upload_journal
from corpus.index.azure.upload.remote_state import parse_mark
from corpus.index.azure.upload.upload_journal import empty_journal
from tests.azure.shops import Shop
from tests.azure.uploads import BLOCKS, DOCUMENTS, batches, by_id, lists, make_indexes
from tests.doubles.azure_search import Fault, StandIn
from tests.doubles.azure_search.in_thread import standing_in
from tests.patience import PATIENCE
from tests.shelf import a_document, figure, texts

pytestmark = pytest.mark.filterwarnings("ignore:Sending a large body:ResourceWarning")

HR = ("department:hr",)
PRIVATE = a_document(access_control_list=HR, content_hash="1")
OURS = Mark(prefixed=True, embedder=PackagedEmbedder.id)


@pytest.fixture
def service() -> Iterator[StandIn]:
    with standing_in() as service:
        make_indexes(service, dimensions=384, mark=OURS)
        yield service


@pytest.fixture(autouse=True)
def all_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the next run find everything that was sent, and assume that no request of a killed run is still in
    progress."""
    monkeypatch.setattr(upload_journal, "SETTLED", 0.0)
    monkeypatch.setattr(upload_journal, "LEASE", 0.0)


@pytest.fixture
def shop(tmp_path: Path, service: StandIn, monkeypatch: pytest.MonkeyPatch) -> Shop:
    return Shop(tmp_path / "index", service, monkeypatch)


def push(shop: Shop, *options: str, code: int = 0) -> str:
    shop.service.requests.clear()
    result = shop.run("azure", "push", *options)
    assert result.exit_code == code, result.output
    return result.output


def test_a_document_is_pushed_with_its_blocks_and_its_access_list(shop: Shop) -> None:
    shop.put(PRIVATE, *texts("manual", "one", "two"))
    output = push(shop)
    assert "pushed    manual.pdf" in output
    assert "1 pushed." in output
    assert lists(shop.service) == {HR}
    assert {row["content"] for row in by_id(shop.service).values()} == {"one", "two"}


def test_an_unchanged_document_is_not_sent_again(shop: Shop) -> None:
    shop.put(PRIVATE, *texts("manual", "one"))
    push(shop)
    assert "1 unchanged." in push(shop)
    assert batches(shop.service) == []


def test_a_document_for_everybody_is_refused_without_public(shop: Shop) -> None:
    shop.put(a_document("open", access_control_list=("*", *HR)), *texts("open", "one"))
    shop.put(PRIVATE, *texts("manual", "two"))
    output = push(shop, code=1)
    assert "refused   open.pdf: everybody may read it (*); --public uploads it" in output
    assert "1 pushed, 1 refused." in output
    assert set(by_id(shop.service)) == {"manual-0"}
    assert "1 pushed, 1 unchanged." in push(shop, "--public")
    assert set(by_id(shop.service)) == {"manual-0", "open-0"}


def test_a_changed_list_or_fact_is_sent_without_the_blocks(shop: Shop) -> None:
    shop.put(PRIVATE, *texts("manual", "one", "two"))
    push(shop)
    shop.put(
        a_document(access_control_list=("user:ann",), content_hash="1", department="it"),
        *texts("manual", "one", "two"),
    )
    assert "updated   manual.pdf" in push(shop)
    assert lists(shop.service) == {("user:ann",)}
    assert {row["department"] for row in by_id(shop.service).values()} == {"it"}
    assert all(
        "content" not in row for one in batches(shop.service) for row in one.body["value"] if one.index == BLOCKS
    )
    assert "1 unchanged." in push(shop)


def test_a_list_restored_after_an_interruption_is_narrowed_again(shop: Shop) -> None:
    """A list is widened by mistake, the push is interrupted, and the list is restored: the mark must not report an
    unchanged list."""
    shop.put(PRIVATE, *texts("manual", "one", "two"))
    push(shop)
    shop.put(a_document(access_control_list=("*",), content_hash="1"), *texts("manual", "one", "two"))
    shop.service.faults.add(Fault(), 2, operation="batch", index=DOCUMENTS)
    shop.service.faults.add(Fault(400), None, operation="batch", index=DOCUMENTS)
    push(shop, "--public", code=1)
    assert lists(shop.service) == {("*",)}
    shop.service.faults.clear()
    shop.put(PRIVATE, *texts("manual", "one", "two"))
    assert "1 pushed." in push(shop)
    assert lists(shop.service) == {HR}


def test_changed_content_replaces_the_old(shop: Shop) -> None:
    shop.put(PRIVATE, *texts("manual", "one", "two"))
    push(shop)
    shop.put(a_document(access_control_list=HR, content_hash="2"), *texts("manual", "new"))
    assert "1 pushed." in push(shop)
    assert {row["content"] for row in by_id(shop.service).values()} == {"new"}


def test_vectors_of_the_index_model_are_pushed_too(shop: Shop) -> None:
    shop.set(RAG_EMBEDDER="packaged")
    shop.put(PRIVATE, *texts("manual", "one"), figure("manual", "Impeller"), vectors=True)
    push(shop)
    rows = by_id(shop.service)
    assert len(rows["manual-0"]["content_vector"]) == 384
    assert sum(n * n for n in rows["manual-0"]["content_vector"]) == pytest.approx(1, abs=0.01)
    assert len(rows["manual-f1"]["image_caption_vector"]) == 384
    assert rows["manual-f1"]["content_vector"] is None


def test_a_document_with_pending_vectors_waits(shop: Shop) -> None:
    shop.set(RAG_EMBEDDER="packaged")
    shop.put(PRIVATE, *texts("manual", "one"))
    output = push(shop, code=1)
    assert "waiting   manual.pdf: its vectors are still to come: run `ibid ingest`" in output
    assert by_id(shop.service) == {}
    assert "1 pushed." in push(shop, "--no-vectors")
    shop.put(PRIVATE, *texts("manual", "one"), vectors=True)
    assert "1 pushed." in push(shop)
    assert by_id(shop.service)["manual-0"]["content_vector"]


def test_a_revocation_does_not_wait_for_vectors(shop: Shop) -> None:
    shop.set(RAG_EMBEDDER="packaged")
    shop.put(a_document(access_control_list=("user:ann", *HR)), *texts("manual", "one"), vectors=True)
    push(shop)
    shop.put(a_document(access_control_list=HR, content_hash="2"), *texts("manual", "other words"))
    assert "1 waiting." in push(shop, code=1)
    assert lists(shop.service) == {HR}
    assert by_id(shop.service)["manual-0"]["content"] == "one"
    shop.put(a_document(access_control_list=HR, content_hash="2"), *texts("manual", "other words"), vectors=True)
    assert "1 pushed." in push(shop)


def test_without_new_vectors_the_existing_ones_stay(shop: Shop) -> None:
    shop.set(RAG_EMBEDDER="packaged")
    shop.put(PRIVATE, *texts("manual", "one"), vectors=True)
    push(shop)
    assert "1 unchanged." in push(shop, "--no-vectors")
    shop.put(a_document(access_control_list=("user:ann",), content_hash="1"), *texts("manual", "one"), vectors=True)
    assert "1 updated." in push(shop, "--no-vectors")
    assert by_id(shop.service)["manual-0"]["content_vector"]
    assert "1 unchanged." in push(shop)


def test_vectors_of_another_model_are_refused_with_the_fix(shop: Shop) -> None:
    shop.service.clear()
    make_indexes(shop.service, dimensions=384, mark=Mark(prefixed=True, embedder="other-model"))
    shop.set(RAG_EMBEDDER="packaged")
    shop.put(PRIVATE, *texts("manual", "one"), vectors=True)
    output = push(shop, code=2)
    assert f"holds vectors of other-model, and those here are of {PackagedEmbedder.id}" in output
    assert "--no-vectors" in output
    assert "1 pushed." in push(shop, "--no-vectors")


def test_an_index_that_names_no_model_takes_vectors_only_if_the_setting_names_one(shop: Shop) -> None:
    shop.service.clear()
    make_indexes(shop.service, dimensions=384, mark=Mark(prefixed=True))
    shop.set(RAG_EMBEDDER="packaged")
    shop.put(PRIVATE, *texts("manual", "one"), vectors=True)
    assert f"RAG_AZURE_EMBEDDER={PackagedEmbedder.id}" in push(shop, code=2)
    shop.set(RAG_AZURE_EMBEDDER=PackagedEmbedder.id)
    assert "1 pushed." in push(shop)


def test_blocks_of_a_recreated_index_are_pushed_again(shop: Shop) -> None:
    shop.put(PRIVATE, *texts("manual", "one"))
    push(shop)
    del shop.service._does.indexes[BLOCKS]
    shop.run("azure", "create-indexes")
    assert "1 pushed." in push(shop)
    assert set(by_id(shop.service)) == {"manual-0"}


def test_an_index_without_marks_gets_everything_each_time_and_a_note_says_so(shop: Shop) -> None:
    made = documents_index(DOCUMENTS, mark=OURS)
    made.fields = [one for one in made.fields if one.name != "pushed"]
    del shop.service._does.indexes[DOCUMENTS]
    shop.service.put_index(made.as_dict())
    shop.put(PRIVATE, *texts("manual", "one"))
    push(shop)
    output = push(shop)
    assert "1 pushed." in output
    assert "has no field `pushed`" in output


def test_plain_names_never_match_names_with_their_kind(shop: Shop) -> None:
    shop.service.clear()
    make_indexes(shop.service, mark=Mark(prefixed=False))
    shop.put(PRIVATE, *texts("manual", "one"))
    output = push(shop, code=2)
    assert "names with their kind (user:ann)" in output
    assert by_id(shop.service) == {}


def test_an_index_of_documents_created_for_other_names_is_refused_too(shop: Shop) -> None:
    del shop.service._does.indexes[DOCUMENTS]
    shop.service.put_index(documents_index(DOCUMENTS, mark=Mark(prefixed=False)).as_dict())
    shop.put(PRIVATE, *texts("manual", "one"))
    assert f"index {DOCUMENTS} has plain names" in push(shop, code=2)


def test_a_foreign_index_has_plain_names_unless_the_setting_says_otherwise(shop: Shop) -> None:
    shop.service.faults.add(Fault(403), None, operation="get_index")
    shop.put(PRIVATE, *texts("manual", "one"))
    assert "Set RAG_PRINCIPAL_PREFIXES=true" in push(shop, code=2)
    shop.set(RAG_PRINCIPAL_PREFIXES="true")
    assert "1 pushed." in push(shop)


def test_only_the_named_documents_are_pushed(shop: Shop) -> None:
    for name in ("a", "b", "c"):
        shop.put(a_document(name, access_control_list=HR), *texts(name, "x"))
    push(shop, "b", "C.pdf")
    assert set(by_id(shop.service)) == {"b-0", "c-0"}


def test_an_unknown_name_is_a_usage_error(shop: Shop) -> None:
    shop.put(PRIVATE, *texts("manual", "one"))
    assert "typo" in push(shop, "typo", code=2)


def test_a_dry_run_reports_the_plan_and_changes_nothing(shop: Shop) -> None:
    shop.put(PRIVATE, *texts("manual", "one"))
    output = push(shop, "--dry-run")
    assert "Would be: 1 pushed." in output
    assert "would be pushed manual.pdf" in output
    assert batches(shop.service) == []


def test_a_document_deleted_here_is_reported_and_removed_only_on_request(shop: Shop) -> None:
    for name in ("a", "b"):
        shop.put(a_document(name, access_control_list=HR), *texts(name, "x"))
    push(shop)
    shop.service.put_documents(DOCUMENTS, [{"doc_id": "foreign", "filename": "f.pdf", "access_control_list": ["*"]}])
    shop.remove("a")
    assert "gone      a: no longer in the local index" in push(shop)
    assert set(by_id(shop.service)) == {"a-0", "b-0"}
    assert "removed   a" in push(shop, "--prune")
    assert set(by_id(shop.service)) == {"b-0"}
    assert {row["doc_id"] for row in shop.service.documents(DOCUMENTS)} == {"b", "foreign"}


def test_a_document_of_another_folder_with_the_same_id_is_replaced_only_on_request(
    shop: Shop, service: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.put(PRIVATE, *texts("manual", "ours"))
    push(shop)
    other = Shop(tmp_path / "other", service, monkeypatch)
    other.put(a_document(access_control_list=("user:bob",), content_hash="9"), *texts("manual", "theirs"))
    assert "of another data folder" in push(other, code=1)
    assert by_id(service)["manual-0"]["content"] == "ours"
    assert "1 pushed." in push(other, "--take-over")
    assert by_id(service)["manual-0"]["content"] == "theirs"


def test_a_refused_document_fails_with_its_reason_and_the_others_are_pushed(shop: Shop) -> None:
    shop.put(a_document("bad", access_control_list=HR, author="a" * 40_000), *texts("bad", "x"))
    shop.put(PRIVATE, *texts("manual", "one"))
    output = push(shop, code=1)
    assert "failed    bad.pdf: bad-0 was refused: Field 'author'" in output
    assert "1 pushed, 1 failed." in output


def test_a_briefly_overloaded_service_gets_everything(shop: Shop) -> None:
    for name in ("a", "b", "c"):
        shop.put(a_document(name, access_control_list=HR), *texts(name, "x"))
    shop.service.faults.add(Fault(503), 2, operation="batch")
    assert "3 pushed." in push(shop)


def test_a_read_only_key_ends_the_run_immediately(shop: Shop) -> None:
    shop.set(AZURE_SEARCH_API_KEY=shop.service.query_key, RAG_PRINCIPAL_PREFIXES="true")
    for name in "abcdefgh":
        shop.put(a_document(name, access_control_list=HR), *texts(name, "x"))
    output = push(shop, code=2)
    assert "This credential may not write into index" in output
    assert len(batches(shop.service)) <= 4


def test_figures_without_pictures_are_counted(shop: Shop) -> None:
    shop.put(PRIVATE, figure("manual", "one", 1), figure("manual", "two", 2))
    output = push(shop)
    assert "2 figures were uploaded without their pictures: AZURE_STORAGE_CONTAINER_URL is not set" in output
    assert by_id(shop.service)["manual-f1"]["image_url"] is None


def test_an_interrupted_push_continues_where_it_stopped(shop: Shop) -> None:
    shop.put(a_document("a", access_control_list=HR), *texts("a", "x"))
    push(shop)
    shop.put(a_document("b", access_control_list=HR), *texts("b", *map(str, range(2000))))
    shop.service.requests.clear()
    shop.service.faults.add(Fault(), 1, operation="batch", index=BLOCKS)
    shop.service.faults.add(Fault(delay=600), operation="batch", index=BLOCKS)
    process = shop.start("azure", "push")
    try:
        wait_for(lambda: len(batches(shop.service, BLOCKS)) == 2)
        process.send_signal(signal.SIGINT)
        shop.service.faults.clear()
        said, _ = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "Interrupted" in said
    rows = shop.service.documents(DOCUMENTS)
    assert [row["doc_id"] for row in rows if row["access_control_list"]] == ["a"]
    assert "1 pushed, 1 unchanged." in push(shop)
    assert len(by_id(shop.service)) == 2001
    marks = [parse_mark(row["pushed"]) for row in shop.service.documents(DOCUMENTS)]
    assert all(mark and mark.content != "-" for mark in marks)


def test_a_killed_push_leaves_nothing_that_the_next_one_does_not_repair(shop: Shop) -> None:
    shop.put(PRIVATE, *texts("manual", "old", "older"))
    push(shop)
    shop.put(a_document(access_control_list=("user:ann",), content_hash="2"), *texts("manual", "new"))
    shop.service.requests.clear()
    shop.service.faults.add(Fault(), 1, operation="batch", index=BLOCKS)
    shop.service.faults.add(Fault(delay=600), operation="batch", index=BLOCKS)
    process = shop.start("azure", "push")
    wait_for(lambda: len(batches(shop.service, BLOCKS)) == 2)
    process.kill()
    process.communicate(timeout=PATIENCE)
    assert lists(shop.service) == {()}
    assert "1 pushed." in push(shop)
    assert lists(shop.service) == {("user:ann",)}
    assert {row["content"] for row in by_id(shop.service).values()} == {"new"}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_pushes_killed_at_any_moment_are_repaired_and_reveal_nothing_more(shop: Shop, seed: int) -> None:
    """Lists are narrowed between the kills. Once a push has ended, nobody who lost the right can read a row."""
    dice = random.Random(seed)
    wanted: dict[str, tuple[str, str]] = {}
    for kill in range(6):
        for doc_id in dice.sample("abcdef", 3):
            reader, content = f"user:{dice.choice(('ann', 'bob'))}", f"text {kill}"
            wanted[doc_id] = (reader, content)
            document = a_document(doc_id, access_control_list=(reader,), content_hash=str(kill))
            shop.put(document, *texts(doc_id, *[content] * dice.randint(1, 40)))
        process = shop.start("azure", "push")
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=dice.uniform(0.5, 4.0))
        process.kill()
        process.communicate(timeout=PATIENCE)
    push(shop)

    found = {(row["doc_id"], *row["access_control_list"], row["content"]) for row in by_id(shop.service).values()}
    assert found == {(doc_id, *reader_and_text) for doc_id, reader_and_text in wanted.items()}


def test_a_clock_set_back_does_not_delay_a_push(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload_journal, "LEASE", 60.0)
    record = empty_journal()
    record.begins("manual")
    now = time.time()
    monkeypatch.setattr(upload_journal.time, "time", lambda: now - 86_400)
    later = upload_journal.UploadJournal(record._database, "")

    assert later.begins("manual").arriving_until - time.monotonic() <= 60.0


def wait_for(condition: object, seconds: float = 60.0) -> None:
    ends = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < ends, "it did not happen"
        time.sleep(0.02)
