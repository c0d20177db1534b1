"""Files and folders that become links to outside the document folders after a run has found them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from corpus.ingestion.report import Outcome, Report, Silence
from corpus.ingestion.walk import Scope
from tests.ingestion.shop import Shop

pytestmark = pytest.mark.anyio

SECRET = "The secret word is xylograph."


def file_by_link(shop: Shop) -> Path:
    path, outside = shop.folder / "z" / "a.md", shop.folder.parent / "outside" / "a.md"
    path.unlink()
    path.symlink_to(outside)
    return path


def folder_by_link(shop: Shop) -> Path:
    folder = shop.folder / "z"
    shutil.rmtree(folder)
    folder.symlink_to(shop.folder.parent / "outside", target_is_directory=True)
    return folder / "a.md"


Exchange = Callable[[Shop], Path]
both = pytest.mark.parametrize("exchange", [file_by_link, folder_by_link])


class Exchanging(Silence):
    """Replaces the folder after the walk."""

    def __init__(self, shop: Shop, exchange: Exchange) -> None:
        self._shop, self._exchange = shop, exchange

    def file_total(self, count: int) -> None:
        self._exchange(self._shop)


def put(shop: Shop) -> None:
    shop.put("b.md", "The seal leaks.")
    shop.put("z/a.md", "The impeller turns.")
    (shop.folder.parent / "outside").mkdir()
    (shop.folder.parent / "outside" / "a.md").write_text(SECRET)


def outcomes(report: Report, path: Path) -> list[Outcome]:
    return [one for one in report.outcomes if one.path == path]


@both
async def test_a_link_that_leads_outside_after_the_walk_is_reported_and_not_read(
    shop: Shop, exchange: Exchange
) -> None:
    put(shop)
    report = await shop.ingest(progress=Exchanging(shop, exchange))
    path = shop.folder / "z" / "a.md"
    assert await shop.found("xylograph") == []
    assert [(one.kind, "leads out" in one.detail) for one in outcomes(report, path)] == [("failed", True)]
    assert report.outside == (path,)
    assert report.count("added") == 1


@both
async def test_a_file_that_became_a_link_outside_during_the_read_is_not_ingested(
    shop: Shop, exchange: Exchange
) -> None:
    class Meanwhile:
        async def read(self, path: Path, listener: object = None, refuse: object = None):  # type: ignore[no-untyped-def]
            if path.name == "a.md":
                exchange(shop)
            return await reading.read(path, listener, refuse)

    put(shop)
    reading, shop.reading = shop.reading, Meanwhile()
    report = await shop.ingest()
    assert await shop.found("xylograph") == []
    assert [one.kind for one in outcomes(report, shop.folder / "z" / "a.md")] == ["failed"]


async def test_a_folder_replaced_only_during_a_read_reveals_nothing(shop: Shop) -> None:
    class Meanwhile:
        async def read(self, path: Path, listener: object = None, refuse: object = None):  # type: ignore[no-untyped-def]
            if path.name != "a.md":
                return await reading.read(path, listener, refuse)
            aside = path.parent.rename(shop.folder / "aside")
            path.parent.symlink_to(shop.folder.parent / "outside", target_is_directory=True)
            try:
                return await reading.read(path, listener, refuse)
            finally:
                path.parent.unlink()
                aside.rename(path.parent)

    put(shop)
    reading, shop.reading = shop.reading, Meanwhile()
    await shop.ingest()
    assert await shop.found("xylograph") == []


@both
async def test_a_document_whose_path_leads_outside_is_reported_and_removed_with_prune(
    shop: Shop, exchange: Exchange
) -> None:
    put(shop)
    await shop.ingest()
    path = exchange(shop)
    (told,) = outcomes(await shop.ingest(), path)
    assert (told.kind, "leads out" in told.detail) == ("missing", True)
    assert [one.kind for one in outcomes(await shop.ingest(prune=True), path)] == ["removed"]
    assert await shop.found("impeller") == []


@both
async def test_with_followed_links_it_is_a_file_like_any_other(shop: Shop, exchange: Exchange) -> None:
    put(shop)
    await shop.ingest(progress=Exchanging(shop, exchange), scope=Scope(follow_links=True))
    assert await shop.found("xylograph") == ["a.md"]


async def test_a_root_that_is_a_link_and_links_between_roots_are_read(shop: Shop) -> None:
    put(shop)
    root = shop.folder.parent / "root"
    root.symlink_to(shop.folder, target_is_directory=True)
    os.symlink(shop.folder / "b.md", shop.folder / "c.md")
    report = await shop.ingest(root)
    assert (report.count("added"), report.count("failed")) == (3, 0)
