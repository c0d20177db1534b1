"""Uploads of documents to Azure AI Search: the state after an upload, a refusal, an interruption."""

from __future__ import annotations

from dataclasses import replace

import anyio
import numpy as np
import pytest

from corpus.documents.document import Document, OutlineEntry
from corpus.errors import AzureSearchError
from corpus.index.azure.rows import block_of, document_of
from corpus.index.azure.schema.fields import BLOCK_FIELDS, DOCUMENT_FIELDS
from corpus.index.azure.upload.batches import MAX_BATCH_BYTES, Refused, batches, encoded_size
from corpus.index.azure.upload.previous_version import narrowed
from corpus.index.azure.upload.remote_state import UploadMark, mark_of, parse_mark
from tests.azure import uploads
from tests.azure.uploads import BLOCKS, DOCUMENTS, MARK, by_id, kinds, lists, place
from tests.doubles.azure_search import Fault
from tests.shelf import a_document, figure, texts

# A program that only uploads may send a large body in one piece. aiohttp's warning is meant for servers.
pytestmark = [pytest.mark.anyio, pytest.mark.filterwarnings("ignore:Sending a large body:ResourceWarning")]

HR, BOARD = "department:hr", "group:board"


def narrow(*principals: str) -> Document:
    return a_document(access_control_list=principals)


async def test_a_document_is_read_back_unchanged() -> None:
    document = a_document(
        title="Grüße", document_date="2024-05-06T07:08:09+00:00", page_count=3, page_labels=("i", "ii", "1"),
        outline=(OutlineEntry("Start", 1, 1),), warnings=("One page has no text.",), author="Ann",
        access_control_list=(HR, "user:ann"), source_path="/somewhere/ann/manual.pdf",
    )  # fmt: skip
    blocks = [*texts("manual", "The pump."), figure("manual", "Impeller", 2)]
    vectors = {"manual-0": np.ones(8, np.float32), "manual-f2": np.zeros(8, np.float32)}
    async with place() as (service, uploader, _):
        await uploader.replace(document, blocks, vectors, image_urls={"manual-f2": "https://x/y.png"}, pushed=MARK)
        rows, (row,) = by_id(service), service.documents(DOCUMENTS)
    assert document_of(row) == replace(document, source_path="", status="ready")
    assert parse_mark(row["pushed"]) == MARK
    text, image = rows["manual-0"], rows["manual-f2"]
    assert block_of(text) == replace(blocks[0].block, access_control_list=(HR, "user:ann"))
    assert (text["content_vector"], text["image_caption_vector"]) == ([1.0] * 8, None)
    assert (image["content_vector"], image["image_caption_vector"]) == (None, [0.0] * 8)
    assert image["image_url"] == "https://x/y.png"
    assert (text["filename"], text["author"]) == ("manual.pdf", "Ann")
    assert "/somewhere/ann" not in str(rows) + str(row)


async def test_an_index_without_our_fields_gets_the_values_that_it_has_fields_for() -> None:
    async with place() as (service, uploader, _):
        for name, kept in ((BLOCKS, BLOCK_FIELDS), (DOCUMENTS, DOCUMENT_FIELDS)):
            fields = [one for one in _definition(service, name)["fields"] if one["name"] in kept]
            other = {"name": name, "fields": fields}
            await _remake(service, other)
        await uploader.replace(a_document(), texts("manual", "one"), {"manual-0": [0.0] * 8}, pushed=MARK)
        assert set(by_id(service)["manual-0"]) == set(BLOCK_FIELDS)
        assert set(service.documents(DOCUMENTS)[0]) == set(DOCUMENT_FIELDS)


async def test_our_own_fields_are_used_even_if_the_definition_cannot_be_read() -> None:
    async with place() as (service, uploader, _):
        service.faults.add(Fault(403), None, operation="get_index")
        await uploader.replace(a_document(), texts("manual", "one"), {"manual-0": [0.0] * 8}, pushed=MARK)
        assert by_id(service)["manual-0"]["filename"] == "manual.pdf"
        assert parse_mark(service.documents(DOCUMENTS)[0]["pushed"]) == MARK


async def test_lists_that_the_index_does_not_show_are_narrowed_to_nobody_meanwhile() -> None:
    async with place() as (service, uploader, _):
        for one in (definition := _definition(service, BLOCKS))["fields"]:  # type: ignore[attr-defined]
            one["retrievable"] = one["name"] != "access_control_list" and one["retrievable"]
        await _remake(service, definition)
        service.faults.add(Fault(403), None, operation="get_index")
        await uploader.replace(narrow(HR), texts("manual", "one"), {})
        service.faults.add(Fault(), 2, operation="batch")
        service.faults.add(Fault(400), None, operation="batch")
        with pytest.raises(AzureSearchError):
            await uploader.replace(narrow("*"), texts("manual", "two"), {})
        assert lists(service) == {()}


async def test_a_name_that_no_list_can_contain_grants_nothing() -> None:
    async with place() as (service, uploader, _):
        await uploader.replace(narrow("user:\ud800", "user:a\0b", HR), texts("manual", "one"), {})
        assert lists(service) == {(HR,)}


async def test_more_than_a_thousand_blocks_are_sent_in_batches() -> None:
    async with place() as (service, uploader, _):
        await uploader.replace(a_document(), texts("manual", *map(str, range(2100))), {})
        sizes = [len(one.body["value"]) for one in uploads.batches(service)]
        assert len(by_id(service)) == 2100
        assert max(sizes) < 1000


async def test_large_blocks_are_sent_in_batches_under_16_mb() -> None:
    async with place() as (service, uploader, _):
        await uploader.replace(a_document(), texts("manual", *["Ü" * 400_000] * 16), {})
        assert len(by_id(service)) == 16
        assert all(one.status == 200 for one in uploads.batches(service))


def test_the_size_of_a_batch_is_the_size_of_its_json() -> None:
    rows = [{"block_id": str(n), "content": "Ü\n" * 200_000} for n in range(30)]
    found = list(batches(rows))
    assert [row for batch in found for row in batch] == rows
    assert all(sum(map(encoded_size, batch)) <= MAX_BATCH_BYTES for batch in found)


async def test_a_block_larger_than_a_request_fails_its_document_before_anything_changes() -> None:
    async with place() as (service, uploader, _):
        with pytest.raises(Refused, match=r"manual-1 has 16 MB"):
            await uploader.replace(a_document(), texts("manual", "x", "y" * 16_000_000), {})
        assert by_id(service) == {}


async def test_a_refused_row_fails_its_document_with_the_reason_and_others_continue() -> None:
    async with place() as (service, uploader, _):
        long = a_document("long", author="a" * 40_000)
        with pytest.raises(Refused, match=r"long-0 \(and 1 more\) was refused: Field 'author'"):
            await uploader.replace(long, texts("long", "one", "two"), {}, pushed=MARK)
        await uploader.replace(a_document(), texts("manual", "one"), {})
        assert [row["doc_id"] for row in service.documents(DOCUMENTS) if row["access_control_list"]] == ["manual"]


async def test_a_batch_refused_for_one_row_names_that_row() -> None:
    async with place() as (service, uploader, _):
        blocks = texts("manual", *map(str, range(40)))
        vectors = {one.block.block_id: [0.0] * 8 for one in blocks} | {"manual-33": [0.0] * 7}
        with pytest.raises(Refused, match="manual-33 was refused"):
            await uploader.replace(a_document(), blocks, vectors)
        assert [row["access_control_list"] for row in service.documents(DOCUMENTS)] == [[]]


async def test_a_batch_that_is_too_large_for_a_proxy_is_sent_in_halves() -> None:
    async with place() as (service, uploader, _):
        service.faults.add(Fault(413), operation="batch", index=BLOCKS)
        await uploader.replace(a_document(), texts("manual", *map(str, range(10))), {})
        assert len(by_id(service)) == 10
        assert [len(one.body["value"]) for one in uploads.batches(service, BLOCKS)] == [10, 5, 5]


async def test_rows_that_fail_temporarily_are_sent_again() -> None:
    async with place() as (service, uploader, _):
        taken = {"key": "manual-0", "status": True, "errorMessage": None, "statusCode": 201}
        busy = {"key": "manual-1", "status": False, "errorMessage": "busy", "statusCode": 503}
        body = {"value": [taken, busy]}
        service.faults.add(Fault(207, body=body), operation="batch", index=BLOCKS)
        await uploader.replace(a_document(), texts("manual", "one", "two"), {})
        sent = [[row["block_id"] for row in one.body["value"]] for one in uploads.batches(service, BLOCKS)]
        assert sent == [["manual-0", "manual-1"], ["manual-1"]]


async def test_a_briefly_overloaded_service_takes_the_document() -> None:
    async with place() as (service, uploader, _):
        service.faults.add(Fault(503), 2, operation="batch")
        await uploader.replace(a_document(), texts("manual", "one"), {})
        assert len(by_id(service)) == 1


async def test_blocks_of_the_earlier_version_are_removed() -> None:
    async with place() as (service, uploader, _):
        await uploader.replace(a_document(), texts("manual", "one", "two", "three"), {})
        await uploader.replace(a_document("other"), texts("other", "x"), {})
        await uploader.replace(a_document(), texts("manual", "new"), {})
        assert {name: row["content"] for name, row in by_id(service).items()} == {
            "manual-0": "new",
            "other-0": "x",
        }


@pytest.mark.parametrize("batch", range(1, 5))
async def test_a_narrowed_document_is_never_readable_by_revoked_callers_once_begun(batch: int) -> None:
    """Whichever request fails: a caller who lost the right reads nothing, and a new reader reads nothing of the earlier
    text."""
    async with place() as (service, uploader, _):
        await uploader.replace(narrow("*"), texts("manual", "public", "old"), {}, pushed=MARK)
        service.requests.clear()
        service.faults.add(Fault(), batch, operation="batch")
        service.faults.add(Fault(400), None, operation="batch")
        with pytest.raises(AzureSearchError):
            await uploader.replace(narrow(HR), texts("manual", "secret"), {}, pushed=MARK)
        assert _finished(service) is False
        readable = {row["content"] for row in service.documents(BLOCKS) if "*" in row["access_control_list"]}
        assert readable == (set() if batch > 1 else {"public", "old"})
        service.faults.clear()
        await uploader.replace(narrow(HR), texts("manual", "secret"), {}, pushed=MARK)
        assert lists(service) == {(HR,)}
        assert _finished(service) is True


async def test_new_readers_see_none_of_the_earlier_text() -> None:
    async with place() as (service, uploader, _):
        await uploader.replace(narrow(HR, BOARD), texts("manual", "salaries"), {})
        service.faults.add(Fault(), 2, operation="batch")
        service.faults.add(Fault(400), None, operation="batch")
        with pytest.raises(AzureSearchError):
            await uploader.replace(narrow(BOARD, "user:ann"), texts("manual", "menu"), {})
        assert lists(service) == {(BOARD,)}


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        (["*"], ["a"], ["a"]), (["a"], ["*"], ["a"]), (["a", "b"], ["b", "c"], ["b"]), (["a"], ["b"], []),
        (None, ["*"], []), ([], ["*"], []), (["*", "a"], ["*"], ["*", "a"]), (["a"], [], []),
    ],
)  # fmt: skip
def test_leftovers_of_an_earlier_version_are_readable_only_by_callers_on_both_lists(
    old: list[str] | None, new: list[str], kept: list[str]
) -> None:
    assert narrowed(old, new) == kept


async def test_an_interrupted_upload_is_unfinished_and_the_next_one_completes_it() -> None:
    async with place() as (service, uploader, _):
        await uploader.replace(a_document(), texts("manual", "one"), {}, pushed=MARK)
        service.faults.add(Fault(), 1, operation="batch", index=BLOCKS)
        service.faults.add(Fault(delay=30), operation="batch", index=BLOCKS)
        with anyio.move_on_after(0.5):
            await uploader.replace(a_document(), texts("manual", *map(str, range(2000))), {}, pushed=MARK)
        assert _finished(service) is False
        await uploader.replace(a_document(), texts("manual", "two"), {}, pushed=MARK)
        assert [row["content"] for row in service.documents(BLOCKS)] == ["two"]
        assert _finished(service) is True


async def test_a_changed_list_reaches_blocks_that_cannot_be_found_yet() -> None:
    async with place(indexing_delay=60.0) as (service, uploader, _):
        await uploader.replace(narrow("*"), texts("manual", "one", "two"), {"manual-0": [1.0] * 8}, pushed=MARK)
        await uploader.update(replace(narrow(HR), department="hr"), ["manual-0", "manual-1"], MARK)
        assert lists(service) == {(HR,)}
        assert by_id(service)["manual-0"]["department"] == "hr"
        assert by_id(service)["manual-0"]["content_vector"] == [1.0] * 8


async def test_a_changed_list_is_not_finished_if_a_block_is_missing() -> None:
    async with place() as (service, uploader, _):
        await uploader.replace(narrow("*"), texts("manual", "one"), {}, pushed=MARK)
        with pytest.raises(Refused, match="manual-7"):
            await uploader.update(narrow(HR), ["manual-0", "manual-7"], MARK)
        assert _finished(service) is False


async def test_a_removed_document_leaves_nothing_and_its_row_is_deleted_last() -> None:
    async with place() as (service, uploader, _):
        await uploader.replace(a_document(), texts("manual", *map(str, range(1200))), {})
        service.requests.clear()
        await uploader.remove("manual")
        assert service.documents(BLOCKS) == service.documents(DOCUMENTS) == []
        assert kinds(service)[-1] == (DOCUMENTS, "delete")


def test_a_mark_records_what_changed() -> None:
    def state(document: Document, embedder: str | None = "e-1") -> UploadMark:
        return mark_of(document, "here", BLOCKS, embedder=embedder, pictures=None)

    first = state(a_document(content_hash="1"))
    assert parse_mark(str(first)) == first
    assert first.same_blocks(state(a_document(content_hash="1", department="hr")))
    assert first.facts != state(a_document(content_hash="1", access_control_list=(HR,))).facts
    assert not first.same_blocks(state(a_document(content_hash="2")))
    assert not first.same_blocks(state(a_document(content_hash="1"), "e-2"))
    assert first.same_blocks(state(a_document(content_hash="1"), None))
    assert not first.unfinished.same_blocks(first)
    assert parse_mark("something else") is None


def _finished(service: object) -> bool:
    (row,) = service.documents(DOCUMENTS)  # type: ignore[attr-defined]
    return parse_mark(row["pushed"]) == MARK


def _definition(service: object, name: str) -> dict[str, object]:
    return dict(service._does.index(name).raw)  # type: ignore[attr-defined]


async def _remake(service: object, definition: dict[str, object]) -> None:
    del service._does.indexes[definition["name"]]  # type: ignore[attr-defined]
    service.put_index(definition)  # type: ignore[attr-defined]
