"""Files that change during an ingestion, and files that are not read again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from corpus.errors import UnreadableDocument
from corpus.readers.protocol import PageListener, ReadDocument, Refuse
from tests.ingestion.shop import ANN, Shop, details, kinds

pytestmark = pytest.mark.anyio


class Disturbed:
    """Reads like the real processes. The file changes during the first `times` reads."""

    def __init__(self, shop: Shop, times: int) -> None:
        self._reading = shop.reading
        self._times = times
        self.read_times = 0

    async def read(
        self, path: Path, listener: PageListener | None = None, refuse: Refuse | None = None
    ) -> ReadDocument:
        self.read_times += 1
        read = await self._reading.read(path, listener, refuse)
        if self.read_times <= self._times:
            path.write_text(f"The volute guides, edition {self.read_times}.")
        return read


async def test_a_file_that_changes_while_it_is_read_is_read_once_more(shop: Shop) -> None:
    shop.put("a.md", "The impeller turns.")
    shop.reading = reading = Disturbed(shop, times=1)
    assert kinds(await shop.ingest()) == {"a.md": "added"}
    assert reading.read_times == 2
    assert (await shop.found("volute"), await shop.found("impeller")) == (["a.md"], [])
    assert kinds(await shop.ingest(by_time=True)) == {"a.md": "unchanged"}


async def test_a_file_that_keeps_changing_is_ingested_as_it_was_at_one_moment(shop: Shop) -> None:
    shop.put("a.md", "The impeller turns.")
    shop.reading = reading = Disturbed(shop, times=9)
    assert kinds(await shop.ingest()) == {"a.md": "added"}
    assert reading.read_times == 2
    (document,) = await shop.index.all_documents()
    assert await shop.found("edition 1") == ["a.md"]
    assert document.content_hash == hashlib.sha256(b"The volute guides, edition 1.").hexdigest()
    shop.reading = Disturbed(shop, times=0)
    assert kinds(await shop.ingest(by_time=True)) == {"a.md": "replaced"}


@contextmanager
def moved_aside(path: Path) -> Iterator[None]:
    """Move a file away. Afterwards it is back, with its old time, in place of any other file there."""
    aside = path.rename(path.with_suffix(".aside"))
    try:
        yield
    finally:
        aside.rename(path)


class Elsewhere:
    """Another file is at the path while it is read. Before and after, the original is there."""

    def __init__(self, shop: Shop) -> None:
        self._reading = shop.reading

    async def read(
        self, path: Path, listener: PageListener | None = None, refuse: Refuse | None = None
    ) -> ReadDocument:
        with moved_aside(path):
            path.write_text("The secret word is xylograph.")
            return await self._reading.read(path, listener, refuse)


async def test_a_file_that_was_at_the_path_only_during_the_read_is_not_ingested(shop: Shop) -> None:
    shop.put("a.md", "The impeller turns.")
    shop.reading = Elsewhere(shop)
    report = await shop.ingest()
    assert details(report)["a.md"].startswith("changed while it was read")
    assert await shop.found("xylograph") == []


class Away:
    """While the file is read for the first time it is moved away. Afterwards it is back, with its old time."""

    def __init__(self, shop: Shop) -> None:
        self._reading = shop.reading
        self._is_first = True

    async def read(
        self, path: Path, listener: PageListener | None = None, refuse: Refuse | None = None
    ) -> ReadDocument:
        if not self._is_first:
            return await self._reading.read(path, listener, refuse)
        self._is_first = False
        with moved_aside(path):
            return await self._reading.read(path, listener, refuse)


async def test_a_file_moved_away_during_the_read_is_ingested_when_it_is_back(shop: Shop) -> None:
    shop.put("a.md", "The impeller turns.")
    shop.reading = Away(shop)
    assert details(await shop.ingest(by_time=True)) == {"a.md": "no such file"}
    assert kinds(await shop.ingest(by_time=True)) == {"a.md": "added"}
    assert await shop.found("impeller") == ["a.md"]


async def test_by_time_a_file_with_an_old_time_is_not_opened(shop: Shop) -> None:
    path = shop.put("a.md", "The impeller turns.")
    os.utime(path, (1, 1))
    await shop.ingest()
    path.write_text("The impeller burns.")
    os.utime(path, (1, 1))
    assert kinds(await shop.ingest(by_time=True)) == {"a.md": "unchanged"}
    assert kinds(await shop.ingest()) == {"a.md": "replaced"}


async def test_by_time_a_change_with_an_older_time_is_noticed(shop: Shop) -> None:
    """This happens after the system's clock was set back."""
    path = shop.put("a.md", "The impeller turns.")
    await shop.ingest()
    path.write_text("The impeller burns.")
    yesterday = path.stat().st_mtime - 86_400
    os.utime(path, (yesterday, yesterday))
    assert kinds(await shop.ingest(by_time=True)) == {"a.md": "replaced"}
    assert await shop.found("burns") == ["a.md"]
    assert kinds(await shop.ingest(by_time=True)) == {"a.md": "unchanged"}


async def test_by_time_a_file_changed_just_before_it_was_indexed_is_opened(shop: Shop) -> None:
    path = shop.put("a.md", "The impeller turns.")
    state = path.stat()
    await shop.ingest()
    path.write_text("The impeller burns.")
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert kinds(await shop.ingest(by_time=True)) == {"a.md": "replaced"}


async def test_by_time_an_unreadable_file_is_not_read_again_until_it_changes(shop: Shop) -> None:
    class Counted:
        calls = 0

        async def read(
            self, path: Path, listener: PageListener | None = None, refuse: Refuse | None = None
        ) -> ReadDocument:
            self.calls += 1
            raise UnreadableDocument("too hard")

    path = shop.put("a.md", "The impeller turns.")
    shop.reading = reading = Counted()
    for _ in range(2):
        report = await shop.ingest(by_time=True)
        assert details(report) == {"a.md": "too hard"}
    assert reading.calls == 1
    os.utime(path, (5, 5))
    await shop.ingest(by_time=True)
    assert reading.calls == 2


async def test_a_list_for_new_documents_keeps_known_ones_and_refuses_copies_of_narrower_ones(
    shop: Shop,
) -> None:
    shop.put("known.md", "The impeller turns.")
    shop.put("narrow.md", "The volute guides.")
    await shop.ingest(shop.folder / "known.md")
    await shop.ingest(shop.folder / "narrow.md", allow=("user:eve",))
    shop.put("new.md", "The seal leaks.")
    shop.put("copy.md", "The volute guides.")
    await shop.ingest(allow_new=("user:ann",))
    lists = {one.filename: one.access_control_list for one in await shop.index.all_documents()}
    assert lists == {"known.md": ("*",), "narrow.md": ("user:eve",), "new.md": ("user:ann",)}
    assert await shop.found("seal", ANN) == ["new.md"]
