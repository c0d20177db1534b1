"""Content with restricted access stays restricted, wherever the same bytes appear."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from corpus.access import Caller
from corpus.errors import UnreadableDocument
from corpus.ingestion.access_lists import AccessRules
from corpus.readers.protocol import PageListener, ReadDocument, Refuse
from tests.ingestion.shop import ANN, Shop, details, kinds
from tests.values import document

pytestmark = pytest.mark.anyio

SECRET = "The salary of the director is 900000 zorkmids."
ANN_ONLY = ("user:ann",)


async def lists(shop: Shop) -> dict[str, tuple[str, ...]]:
    return {one.filename: one.access_control_list for one in await shop.index.all_documents()}


@pytest.mark.parametrize("copy", ["a copy of plan.md", "plan.md, a copy"])
async def test_a_copy_of_a_restricted_file_edited_just_before_is_refused_with_the_fix(shop: Shop, copy: str) -> None:
    plan = shop.put("plan.md", "The old plan.")
    await shop.ingest(allow=ANN_ONLY)
    plan.write_text(SECRET)
    shutil.copy(plan, shop.folder / f"{copy}.md")
    report = await shop.ingest()
    assert kinds(report) == {"plan.md": "replaced", f"{copy}.md": "failed"}
    assert "only user:ann may read" in details(report)[f"{copy}.md"]
    assert await shop.found("zorkmids") == []
    cured = await shop.ingest(shop.folder / f"{copy}.md", allow=ANN_ONLY)
    assert kinds(cured) == {f"{copy}.md": "added"}
    assert "--allow user:ann" in details(report)[f"{copy}.md"]


async def test_a_copy_is_refused_even_if_the_run_names_only_the_copy(shop: Shop) -> None:
    plan = shop.put("plan.md", "The old plan.")
    await shop.ingest(allow=ANN_ONLY)
    plan.write_text(SECRET)
    copy = shop.put("copy.md", SECRET)
    assert kinds(await shop.ingest(copy)) == {"copy.md": "failed"}


async def test_a_refused_copy_stays_refused_when_the_restricted_file_changes(shop: Shop) -> None:
    plan = shop.put("plan.md", SECRET)
    await shop.ingest(allow=ANN_ONLY)
    shop.put("copy.md", SECRET)
    await shop.ingest()
    plan.write_text("The new plan.")
    assert kinds(await shop.ingest()) == {"plan.md": "replaced", "copy.md": "failed"}
    assert kinds(await shop.ingest()) == {"plan.md": "unchanged", "copy.md": "failed"}
    assert await shop.found("zorkmids") == []


async def test_earlier_content_of_a_restricted_document_is_refused_elsewhere(shop: Shop) -> None:
    plan = shop.put("plan.md", SECRET)
    await shop.ingest(allow=ANN_ONLY)
    plan.write_text("The new plan.")
    await shop.ingest()
    shop.put("old.md", SECRET)
    assert kinds(await shop.ingest())["old.md"] == "failed"


async def test_restricted_content_moved_over_a_public_file_is_refused_there(shop: Shop) -> None:
    public, secret = shop.put("public.md", "The canteen opens at noon."), shop.put("secret.md", SECRET)
    await shop.ingest(public)
    await shop.ingest(secret, allow=ANN_ONLY)
    secret.rename(public)
    assert kinds(await shop.ingest()) == {"public.md": "failed", "secret.md": "missing"}
    assert await shop.found("zorkmids") == []
    assert await shop.found("zorkmids", ANN) == ["secret.md"]
    assert await shop.found("canteen") == ["public.md"]


async def swapped(shop: Shop, first: tuple[str, ...] | None, second: tuple[str, ...] | None) -> None:
    one, other = shop.put("one.md", SECRET), shop.put("other.md", "The canteen opens at noon.")
    await shop.ingest(one, allow=first)
    await shop.ingest(other, allow=second)
    one.rename(shop.folder / "between.md")
    other.rename(one)
    (shop.folder / "between.md").rename(other)


async def test_swapping_two_files_reveals_nothing_more(shop: Shop) -> None:
    await swapped(shop, ANN_ONLY, None)
    assert kinds(await shop.ingest()) == {"one.md": "replaced", "other.md": "failed"}
    assert kinds(await shop.ingest()) == {"one.md": "unchanged", "other.md": "failed"}
    assert await shop.found("zorkmids") == []


async def test_two_swapped_restricted_files_are_refused_until_their_readers_are_named(
    shop: Shop,
) -> None:
    await swapped(shop, ANN_ONLY, ("user:bob",))
    await shop.ingest()
    assert await shop.found("zorkmids", Caller(user_id="bob")) == []
    assert await shop.found("canteen", ANN) == []
    await shop.ingest(shop.folder / "other.md", allow=ANN_ONLY)
    assert sorted(await shop.found("zorkmids", ANN)) == ["one.md", "other.md"]


async def test_swapped_files_stay_restricted_even_if_the_first_run_cannot_read_one(
    shop: Shop,
) -> None:
    class Refusing:
        async def read(
            self, path: Path, listener: PageListener | None = None, refuse: Refuse | None = None
        ) -> ReadDocument:
            if path.name == "other.md":
                raise UnreadableDocument("too hard")
            return await reading.read(path, listener, refuse)

    await swapped(shop, ANN_ONLY, None)
    reading, shop.reading = shop.reading, Refusing()
    assert kinds(await shop.ingest()) == {"one.md": "replaced", "other.md": "failed"}
    shop.reading = reading
    assert kinds(await shop.ingest()) == {"one.md": "unchanged", "other.md": "failed"}
    assert await shop.found("zorkmids") == []


async def test_an_earlier_public_copy_keeps_its_list(shop: Shop) -> None:
    shop.put("plan.md", SECRET)
    await shop.ingest()
    await shop.ingest(shop.put("copy.md", SECRET), allow=ANN_ONLY)
    await shop.ingest(version="2")
    assert await lists(shop) == {"plan.md": ("*",), "copy.md": ANN_ONLY}


async def test_of_two_possible_origins_of_a_moved_file_the_restricted_one_counts(shop: Shop) -> None:
    gone = [shop.put("plan.md", SECRET), shop.put("sub/plan.md", SECRET)]
    await shop.ingest(gone[0])
    await shop.ingest(gone[1], allow=ANN_ONLY)
    os.rename(gone[0], shop.folder / "new.md")
    gone[1].unlink()
    await shop.ingest(prune=True)
    assert await lists(shop) == {"new.md": ANN_ONLY}


async def test_a_restricted_document_that_only_moved_is_not_a_refused_copy(shop: Shop) -> None:
    plan = shop.put("plan.md", SECRET)
    await shop.ingest(allow=ANN_ONLY)
    plan.rename(shop.folder / "moved.md")
    assert kinds(await shop.ingest()) == {"moved.md": "unchanged"}
    assert await lists(shop) == {"moved.md": ANN_ONLY}
    assert await shop.index.restricted() == {}


async def test_readers_named_by_the_user_apply_to_restricted_content_too(shop: Shop) -> None:
    await shop.ingest(shop.put("plan.md", SECRET), allow=ANN_ONLY)
    await shop.ingest(shop.put("copy.md", SECRET), allow=("*",))
    assert await lists(shop) == {"plan.md": ANN_ONLY, "copy.md": ("*",)}


async def test_a_copy_ingested_just_before_the_restricted_file_is_withdrawn(
    shop: Shop,
) -> None:
    class Meanwhile:
        async def read(
            self, path: Path, listener: PageListener | None = None, refuse: Refuse | None = None
        ) -> ReadDocument:
            if path.name == "plan.md":
                path.write_text(SECRET)
            return await reading.read(path, listener, refuse)

    plan = shop.put("plan.md", "The old plan.")
    await shop.ingest(allow=ANN_ONLY)
    plan.write_text("The new plan.")
    shop.put("copy.md", SECRET)
    reading, shop.reading = shop.reading, Meanwhile()
    assert kinds(await shop.ingest())["copy.md"] == "failed"
    assert await lists(shop) == {"plan.md": ANN_ONLY}


def test_the_narrowest_list_of_equal_content_counts_and_a_narrower_copy_is_allowed() -> None:
    held = [document(doc_id=str(n), content_hash="h", access_control_list=access)
            for n, access in enumerate([("user:ann", "user:eve"), ANN_ONLY, ("*",)])]  # fmt: skip
    rules = AccessRules(held)
    assert rules.narrowest("h") == ANN_ONLY
    assert [rules.allows(access, "h") for access in [("*",), ("user:bob",), ANN_ONLY, ()]] == [
        False,
        False,
        True,
        True,
    ]
    assert rules.allows(("*",), "other")


def test_content_that_nobody_may_read_is_refused_everywhere() -> None:
    rules = AccessRules([document(content_hash="h", access_control_list=())])
    assert rules.refuses("h", None)
    assert "only nobody may read" in rules.refusal("h")
