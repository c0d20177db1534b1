"""An ingestion with the real local index, real files and real reading processes: each file has an outcome."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest

from corpus.access import ANONYMOUS, Caller
from corpus.errors import InvalidRequest
from corpus.ingestion.ingest import Ingestion
from corpus.ingestion.report import Silence
from corpus.readers.protocol import PageListener, ReadDocument, Refuse
from corpus.readers.sandbox.pool import READABLE
from corpus.search import Listing
from tests.ingestion.shop import ANN, Shop, kinds

pytestmark = pytest.mark.anyio


async def test_files_are_added_then_unchanged_then_replaced(shop: Shop) -> None:
    shop.put("a.md", "# Pumps\n\nThe impeller turns.")
    assert kinds(await shop.ingest()) == {"a.md": "added"}
    before = await shop.ids()
    assert kinds(await shop.ingest()) == {"a.md": "unchanged"}
    shop.put("a.md", "# Pumps\n\nThe volute guides.")
    assert kinds(await shop.ingest()) == {"a.md": "replaced"}
    assert await shop.ids() == before
    assert await shop.found("volute") == ["a.md"]
    assert await shop.found("impeller") == []


async def test_an_edit_that_keeps_size_and_time_is_noticed(shop: Shop) -> None:
    path = shop.put("a.md", "The impeller turns.")
    await shop.ingest()
    state = path.stat()
    shop.put("a.md", "The impeller burns.")
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert kinds(await shop.ingest()) == {"a.md": "replaced"}


async def test_a_failed_file_hides_no_other_and_is_tried_again(shop: Shop) -> None:
    shop.put("a.md", "A good text about pumps.")
    shop.put("b.pdf", "This is no PDF.")
    report = await shop.ingest()
    assert kinds(report) == {"a.md": "added", "b.pdf": "failed"}
    assert "not a PDF" in report.failed[0].detail
    assert kinds(await shop.ingest()) == {"a.md": "unchanged", "b.pdf": "failed"}


async def test_a_file_that_becomes_unreadable_keeps_its_indexed_content(shop: Shop) -> None:
    path = shop.put("a.md", "The impeller turns.")
    await shop.ingest()
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    assert kinds(await shop.ingest()) == {"a.md": "failed"}
    assert await shop.found("impeller") == ["a.md"]


async def test_a_vanished_file_is_reported_and_removed_only_on_request(shop: Shop) -> None:
    shop.put("a.md", "The impeller turns.")
    shop.put("b.md", "The volute guides.")
    await shop.ingest()
    (shop.folder / "a.md").unlink()
    assert kinds(await shop.ingest()) == {"a.md": "missing", "b.md": "unchanged"}
    assert await shop.found("impeller") == ["a.md"]
    assert kinds(await shop.ingest(prune=True)) == {"a.md": "removed", "b.md": "unchanged"}
    assert await shop.found("impeller") == []


async def test_pruning_one_folder_keeps_the_missing_files_of_another(shop: Shop) -> None:
    for name in ("one/a.md", "two/b.md"):
        shop.put(name, "The impeller turns.")
    shop.put("one/c.md", "The volute guides.")
    await shop.ingest()
    for name in ("one/a.md", "two/b.md"):
        (shop.folder / name).unlink()
    report = await shop.ingest(shop.folder / "one", prune=True)
    assert kinds(report) == {"a.md": "removed", "c.md": "unchanged"}
    assert await shop.found("impeller") == ["b.md"]


async def test_a_moved_file_keeps_its_id_and_access_list(shop: Shop) -> None:
    path = shop.put("a.md", "The impeller turns.")
    await shop.ingest(allow=("user:ann",))
    before = await shop.ids()
    (shop.folder / "sub").mkdir()
    path.rename(shop.folder / "sub" / "renamed.md")
    report = await shop.ingest()
    assert kinds(report) == {"renamed.md": "unchanged"}
    assert "moved from" in report.outcomes[0].detail
    assert await shop.ids() == {"renamed.md": before["a.md"]}
    assert await shop.found("impeller", ANN) == ["renamed.md"]
    assert await shop.found("impeller") == []


async def test_equal_bytes_at_two_paths_are_two_documents(shop: Shop) -> None:
    shop.put("a.md", "The impeller turns.")
    shop.put("b.md", "The impeller turns.")
    await shop.ingest()
    assert len(set((await shop.ids()).values())) == 2
    assert sorted(await shop.found("impeller")) == ["a.md", "b.md"]


async def test_new_documents_are_public_unless_readers_are_named(shop: Shop) -> None:
    shop.put("a.md", "The impeller turns.")
    await shop.ingest()
    assert await shop.found("impeller") == ["a.md"]
    shop.put("b.md", "The impeller burns.")
    await shop.ingest(shop.folder / "b.md", allow=("user:ann",))
    assert await shop.found("impeller") == ["a.md"]
    assert sorted(await shop.found("impeller", ANN)) == ["a.md", "b.md"]


async def test_ingesting_again_keeps_the_list_and_a_new_list_applies_to_unchanged_files(
    shop: Shop,
) -> None:
    shop.put("a.md", "The impeller turns.")
    await shop.ingest(allow=("user:ann",))
    shop.put("a.md", "The impeller burns.")
    assert kinds(await shop.ingest()) == {"a.md": "replaced"}
    assert await shop.found("impeller") == []
    assert kinds(await shop.ingest(allow=("user:bob",))) == {"a.md": "unchanged"}
    assert await shop.found("impeller", ANN) == []
    assert await shop.found("impeller", Caller(user_id="bob")) == ["a.md"]


async def test_a_narrower_list_applies_even_to_a_file_that_can_no_longer_be_read(shop: Shop) -> None:
    path = shop.put("a.md", "The impeller turns.")
    await shop.ingest()
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    await shop.ingest(allow=("user:ann",))
    assert await shop.found("impeller") == []
    path.unlink()
    await shop.ingest(allow=("user:bob",))
    assert await shop.found("impeller", ANN) == []


async def test_a_principal_without_a_kind_is_refused_before_anything_is_done(shop: Shop) -> None:
    shop.put("a.md", "The impeller turns.")
    with pytest.raises(InvalidRequest, match="department:hr"):
        await shop.ingest(allow=("hr",))
    assert await shop.ids() == {}


async def test_a_missing_path_is_refused_before_anything_is_done(shop: Shop) -> None:
    shop.put("a.md", "The impeller turns.")
    with pytest.raises(InvalidRequest, match="nowhere"):
        await shop.ingest(shop.folder, shop.folder / "nowhere")
    assert await shop.ids() == {}


async def test_a_new_reader_reads_unchanged_files_again(shop: Shop) -> None:
    shop.put("a.md", "The impeller turns.")
    await shop.ingest(version="1")
    assert kinds(await shop.ingest(version="2")) == {"a.md": "replaced"}
    assert kinds(await shop.ingest(version="2")) == {"a.md": "unchanged"}


async def test_department_and_type_are_kept_until_given_again(shop: Shop) -> None:
    shop.put("a.md", "The impeller turns.")
    await shop.ingest(department="R&D", document_type="Manual")
    shop.put("a.md", "The impeller burns.")
    await shop.ingest()
    (only,) = (await shop.index.list_documents(Listing(), ANONYMOUS)).documents
    assert (only.department, only.document_type) == ("R&D", "Manual")
    await shop.ingest(department="Sales")
    (only,) = (await shop.index.list_documents(Listing(), ANONYMOUS)).documents
    assert only.department == "Sales"


async def test_an_empty_file_fails_with_its_reason(shop: Shop) -> None:
    shop.put("a.pdf", "")
    report = await shop.ingest()
    assert "empty" in report.failed[0].detail


async def test_a_long_run_does_not_undo_a_list_narrowed_meanwhile(shop: Shop) -> None:
    path = shop.put("a.md", "The impeller turns.")
    await shop.ingest()
    shop.put("a.md", "The impeller burns.")
    narrowed = dataclasses.replace((await shop.index.all_documents())[0], access_control_list=("user:ann",))

    class Meanwhile:
        async def read(
            self, path: Path, listener: PageListener | None = None, refuse: Refuse | None = None
        ) -> ReadDocument:
            await shop.index.update(narrowed)
            return await shop.reading.read(path)

    long_run = Ingestion(shop.index, Meanwhile(), readable=READABLE, reader_version="1", progress=Silence())
    assert kinds(await long_run.run([path])) == {"a.md": "replaced"}
    assert await shop.found("burns") == []
    assert await shop.found("burns", ANN) == ["a.md"]


async def test_a_document_removed_meanwhile_affects_no_other(shop: Shop) -> None:
    for name in ("a.md", "b.md"):
        shop.put(name, f"The impeller of {name} turns.")
    await shop.ingest()
    os.utime(shop.folder / "a.md")
    shop.put("b.md", "The impeller burns.")
    ids = await shop.ids()

    class Meanwhile:
        async def read(
            self, path: Path, listener: PageListener | None = None, refuse: Refuse | None = None
        ) -> ReadDocument:
            return await shop.reading.read(path)

    run = Ingestion(shop.index, Meanwhile(), readable=READABLE, reader_version="1", progress=Silence())
    listed = shop.index.all_documents

    async def then_removed():  # type: ignore[no-untyped-def]
        documents = await listed()
        await shop.index.remove(ids["a.md"])
        return documents

    shop.index.all_documents = then_removed  # type: ignore[method-assign]
    report = await run.run([shop.folder])
    assert kinds(report) == {"a.md": "failed", "b.md": "replaced"}
    assert "meanwhile" in report.failed[0].detail


async def test_a_private_document_at_a_new_path_is_refused_while_another_file_is_at_its_old_one(
    shop: Shop,
) -> None:
    secret = shop.put("secret.md", "The impeller turns.")
    await shop.ingest(allow=("user:ann",))
    secret.rename(shop.folder / "moved.md")
    shop.put("secret.md", "Something else.")
    assert kinds(await shop.ingest()) == {"secret.md": "replaced", "moved.md": "failed"}
    assert await shop.found("impeller", ANN) == []
    await shop.ingest(shop.folder / "moved.md", allow=("*",))
    assert await shop.found("impeller") == ["moved.md"]


async def test_a_file_name_that_is_not_valid_text_fails_alone(shop: Shop) -> None:
    shop.put("a.md", "The impeller turns.")
    odd = os.fsencode(shop.folder) + b"/inv\xff.md"
    with open(odd, "w") as file:
        file.write("The volute guides.")
    report = await shop.ingest()
    assert sorted(outcome.kind for outcome in report.outcomes) == ["added", "failed"]
    assert "rename it" in report.failed[0].detail


async def test_an_internal_error_fails_only_one_file(shop: Shop) -> None:
    for name in ("a.md", "b.md"):
        shop.put(name, "The impeller turns.")

    class Broken:
        async def read(
            self, path: Path, listener: PageListener | None = None, refuse: Refuse | None = None
        ) -> ReadDocument:
            if path.name == "a.md":
                raise ZeroDivisionError
            return await shop.reading.read(path)

    run = Ingestion(shop.index, Broken(), readable=READABLE, reader_version="1", progress=Silence())
    assert kinds(await run.run([shop.folder])) == {"a.md": "failed", "b.md": "added"}


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may look into every folder")
async def test_a_folder_without_permission_is_reported_and_its_documents_are_not_pruned(shop: Shop) -> None:
    shop.put("sub/a.md", "The impeller turns.")
    await shop.ingest()
    (shop.folder / "sub").chmod(0)
    try:
        report = await shop.ingest(prune=True)
    finally:
        (shop.folder / "sub").chmod(0o700)
    assert kinds(report) == {"sub": "failed"}
    assert await shop.found("impeller") == ["a.md"]
