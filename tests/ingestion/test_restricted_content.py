"""Content that not everybody may read stays so, wherever its bytes turn up."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from corpus.access import Caller
from corpus.errors import UnreadableDocument
from corpus.ingestion.lists import Lists
from corpus.readers.protocol import PageListener, ReadDocument
from tests.ingestion.shop import ANN, Shop, details, kinds
from tests.values import document

pytestmark = pytest.mark.anyio

SECRET = "The salary of the director is 900000 zorkmids."
ANN_ONLY = ("user:ann",)


async def lists(shop: Shop) -> dict[str, tuple[str, ...]]:
    return {one.filename: one.access_control_list for one in await shop.index.all_documents()}


@pytest.mark.parametrize("copy", ["a copy of plan.md", "plan.md, a copy"])
async def test_a_copy_of_a_restricted_file_that_was_just_edited_is_restricted(shop: Shop, copy: str) -> None:
    plan = shop.put("plan.md", "The old plan.")
    await shop.ingest(allow=ANN_ONLY)
    plan.write_text(SECRET)
    shutil.copy(plan, shop.folder / f"{copy}.md")
    report = await shop.ingest()
    assert await lists(shop) == {"plan.md": ANN_ONLY, f"{copy}.md": ANN_ONLY}
    assert await shop.found("zorkmids") == []
    assert "Readable by user:ann only" in details(report)[f"{copy}.md"]


async def test_a_copy_is_restricted_though_the_run_is_about_the_copy_alone(shop: Shop) -> None:
    plan = shop.put("plan.md", "The old plan.")
    await shop.ingest(allow=ANN_ONLY)
    plan.write_text(SECRET)
    copy = shop.put("copy.md", SECRET)
    await shop.ingest(copy)
    assert (await lists(shop))["copy.md"] == ANN_ONLY


async def test_restricted_content_moved_over_a_public_file_stays_restricted_and_the_run_says_so(
    shop: Shop,
) -> None:
    public, secret = shop.put("public.md", "The canteen opens at noon."), shop.put("secret.md", SECRET)
    await shop.ingest(public)
    await shop.ingest(secret, allow=ANN_ONLY)
    secret.rename(public)
    report = await shop.ingest()
    assert await shop.found("zorkmids") == []
    assert sorted(await shop.found("zorkmids", ANN)) == ["public.md", "secret.md"]
    assert details(report)["public.md"].startswith("Readable by user:ann only")


async def swapped(shop: Shop, first: tuple[str, ...] | None, second: tuple[str, ...] | None) -> None:
    one, other = shop.put("one.md", SECRET), shop.put("other.md", "The canteen opens at noon.")
    await shop.ingest(one, allow=first)
    await shop.ingest(other, allow=second)
    one.rename(shop.folder / "between.md")
    other.rename(one)
    (shop.folder / "between.md").rename(other)


async def test_two_files_that_were_swapped_show_nobody_more_than_before(shop: Shop) -> None:
    await swapped(shop, ANN_ONLY, None)
    await shop.ingest()
    assert await shop.found("zorkmids") == []
    assert await shop.found("zorkmids", ANN) == ["other.md"]


async def test_two_restricted_files_that_were_swapped_keep_their_readers_with_the_content(shop: Shop) -> None:
    await swapped(shop, ANN_ONLY, ("user:bob",))
    await shop.ingest()
    assert await shop.found("zorkmids", Caller(user_id="bob")) == []
    assert await shop.found("zorkmids", ANN) == ["other.md"]
    assert await shop.found("canteen", ANN) == []


async def test_swapped_files_stay_restricted_though_the_run_that_sees_it_first_cannot_read_one(
    shop: Shop,
) -> None:
    class Refusing:
        async def read(self, path: Path, listener: PageListener | None = None) -> ReadDocument:
            if path.name == "other.md":
                raise UnreadableDocument("too hard")
            return await reading.read(path)

    await swapped(shop, ANN_ONLY, None)
    reading, shop.reading = shop.reading, Refusing()
    assert kinds(await shop.ingest()) == {"one.md": "replaced", "other.md": "failed"}
    shop.reading = reading
    assert kinds(await shop.ingest()) == {"one.md": "unchanged", "other.md": "replaced"}
    assert await shop.found("zorkmids") == []


async def test_a_public_copy_that_was_there_before_keeps_its_list(shop: Shop) -> None:
    shop.put("plan.md", SECRET)
    await shop.ingest()
    await shop.ingest(shop.put("copy.md", SECRET), allow=ANN_ONLY)
    await shop.ingest(version="2")
    assert await lists(shop) == {"plan.md": ("*",), "copy.md": ANN_ONLY}


async def test_a_file_may_be_the_moved_one_of_two_and_the_restricted_one_wins(shop: Shop) -> None:
    gone = [shop.put("plan.md", SECRET), shop.put("sub/plan.md", SECRET)]
    await shop.ingest(gone[0])
    await shop.ingest(gone[1], allow=ANN_ONLY)
    os.rename(gone[0], shop.folder / "new.md")
    gone[1].unlink()
    await shop.ingest(prune=True)
    assert await lists(shop) == {"new.md": ANN_ONLY}


async def test_what_the_person_says_holds_for_restricted_content_too(shop: Shop) -> None:
    await shop.ingest(shop.put("plan.md", SECRET), allow=ANN_ONLY)
    await shop.ingest(shop.put("copy.md", SECRET), allow=("*",))
    assert await lists(shop) == {"plan.md": ANN_ONLY, "copy.md": ("*",)}


async def test_a_restricted_file_that_comes_to_hold_what_was_taken_in_just_before_narrows_it(
    shop: Shop,
) -> None:
    class Meanwhile:
        async def read(self, path: Path, listener: PageListener | None = None) -> ReadDocument:
            if path.name == "plan.md":
                path.write_text(SECRET)
            return await reading.read(path)

    plan = shop.put("plan.md", "The old plan.")
    await shop.ingest(allow=ANN_ONLY)
    plan.write_text("The new plan.")
    shop.put("copy.md", SECRET)
    reading, shop.reading = shop.reading, Meanwhile()
    await shop.ingest()
    assert await lists(shop) == {"plan.md": ANN_ONLY, "copy.md": ANN_ONLY}


def test_the_narrowest_list_of_equal_bytes_counts_and_a_narrower_wish_stays() -> None:
    held = [document(doc_id=str(n), content_hash="h", access_control_list=access)
            for n, access in enumerate([("user:ann", "user:eve"), ANN_ONLY, ("*",)])]  # fmt: skip
    known = Lists(held)
    assert known.for_bytes("h", ("*",)) == ANN_ONLY
    assert known.for_bytes("h", ("user:bob",)) == ANN_ONLY
    assert known.for_bytes("h", ()) == ()
    assert known.for_bytes("other", ("*",)) == ("*",)


def test_bytes_that_nobody_may_read_are_readable_by_nobody_in_a_new_place() -> None:
    assert Lists([document(content_hash="h", access_control_list=())]).for_bytes("h", ("*",)) == ()
