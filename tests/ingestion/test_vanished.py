"""Documents whose files are gone: moved, deleted, excluded, or on a drive that is not connected."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.ingestion.shop import ANN, Shop, details, kinds

pytestmark = pytest.mark.anyio


async def test_a_moved_folder_keeps_every_document_even_if_two_are_equal(shop: Shop) -> None:
    for name in ("one/a.md", "one/b.md"):
        shop.put(name, "The impeller turns.")
    shop.put("one/sub/c.md", "The volute guides.")
    await shop.ingest()
    before = await shop.ids()
    (shop.folder / "one").rename(shop.folder / "two")
    report = await shop.ingest(changed=[shop.folder / "one", shop.folder / "two"])
    assert kinds(report) == {"a.md": "unchanged", "b.md": "unchanged", "c.md": "unchanged"}
    assert await shop.ids() == before
    assert {Path(one.source_path).parts[-2] for one in await shop.index.all_documents()} == {"two", "sub"}


async def test_a_change_at_one_path_does_not_affect_another(shop: Shop) -> None:
    for name in ("a.md", "b.md", "c.md"):
        shop.put(name, f"The impeller of {name} turns.")
    await shop.ingest()
    for name in ("a.md", "b.md"):
        (shop.folder / name).unlink()
    report = await shop.ingest(changed=[shop.folder / "a.md"], prune=True)
    assert kinds(report) == {"a.md": "removed"}


@pytest.mark.parametrize("gone", ["emptied", "away"])
async def test_a_disconnected_drive_removes_no_document(shop: Shop, gone: str) -> None:
    drive = shop.folder / "drive"
    shop.put("drive/a.md", "The impeller turns.")
    shop.put("drive/sub/b.md", "The volute guides.")
    await shop.ingest(drive, allow=("user:ann",))
    shutil.rmtree(drive)
    if gone == "emptied":
        drive.mkdir()
        (drive / ".not-mounted").touch()
    report = await shop.ingest(drive, prune=True)
    assert kinds(report) == {"a.md": "missing", "b.md": "missing"}
    assert all("not connected; kept, --prune-empty" in detail for detail in details(report).values())
    assert await shop.found("impeller", ANN) == ["a.md"]
    assert kinds(await shop.ingest(drive, prune=True, prune_empty=True)) == {
        "a.md": "removed",
        "b.md": "removed",
    }


async def test_a_disconnected_drive_within_the_folder_removes_no_document(shop: Shop) -> None:
    shop.put("a.md", "The impeller turns.")
    shop.put("drive/b.md", "The volute guides.")
    await shop.ingest()
    (shop.folder / "drive" / "b.md").unlink()
    assert kinds(await shop.ingest(prune=True)) == {"a.md": "unchanged", "b.md": "missing"}


async def test_a_folder_deleted_from_a_larger_one_is_pruned(shop: Shop) -> None:
    shop.put("a.md", "The impeller turns.")
    shop.put("old/b.md", "The volute guides.")
    await shop.ingest()
    shutil.rmtree(shop.folder / "old")
    assert kinds(await shop.ingest(prune=True)) == {"a.md": "unchanged", "b.md": "removed"}


async def test_files_excluded_since_are_reported_and_pruned_on_request(shop: Shop) -> None:
    shop.put("a.md", "The impeller turns.")
    shop.put("draft.md", "The volute guides.")
    await shop.ingest()
    (shop.folder / ".ibidignore").write_text("draft.md\n")
    report = await shop.ingest()
    assert kinds(report) == {"a.md": "unchanged", "draft.md": "missing"}
    assert "left out by .ibidignore" in details(report)["draft.md"]
    assert kinds(await shop.ingest(prune=True)) == {"a.md": "unchanged", "draft.md": "removed"}
