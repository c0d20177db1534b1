"""An index that is kept up to date with folders: real files, real file system events, the real index."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
import watchfiles

from corpus.errors import Timeout
from corpus.ingestion.sync_loop import Debounce, keep_up
from tests.ingestion.shop import Shop
from tests.patience import PATIENCE

pytestmark = pytest.mark.anyio


@pytest.fixture
def tmp_path(on_disk: Path) -> Path:
    return on_disk


class Keeper:
    """Ingests changes, and records the requests."""

    def __init__(self, shop: Shop, *roots: Path) -> None:
        self._shop, self._roots = shop, roots
        self.asked: list[Sequence[Path] | None] = []
        self.outcomes: list[tuple[str, str]] = []
        self.embedded = 0
        self.fails = False
        self.happened = anyio.Event()

    async def take_in(self, changed: Sequence[Path] | None) -> None:
        self.asked.append(changed)
        if self.fails:
            raise Timeout("The index is busy.")
        there = [root for root in self._roots if root.exists()]
        report = await self._shop.ingest(*there, changed=None if changed is None else list(changed), by_time=True)
        self.outcomes += [(one.path.name, one.kind) for one in report.outcomes]
        self._tell()

    async def recognise(self, go_on: Callable[[], bool]) -> bool:
        return False

    async def embed(self) -> bool:
        self.embedded += 1
        return False

    async def until(self, true: Callable[[], object]) -> None:
        with anyio.fail_after(PATIENCE):
            while not true():
                await self.happened.wait()

    def _tell(self) -> None:
        happened, self.happened = self.happened, anyio.Event()
        happened.set()


@asynccontextmanager
async def kept(shop: Shop, *roots: Path, settling: Debounce | None = None) -> AsyncIterator[Keeper]:
    keeper = Keeper(shop, *(roots or (shop.folder,)))
    async with anyio.create_task_group() as group:
        group.start_soon(keep_up, roots or [shop.folder], keeper, settling or Debounce(0.3, 0.6))
        await keeper.until(lambda: keeper.asked)
        yield keeper
        group.cancel_scope.cancel()


async def test_existing_files_are_ingested_and_then_only_changes(shop: Shop) -> None:
    shop.put("a.md", "The impeller turns.")
    async with kept(shop) as keeper:
        await keeper.until(lambda: ("a.md", "added") in keeper.outcomes)
        path = shop.put("sub/b.md", "The volute guides.")
        await keeper.until(lambda: ("b.md", "added") in keeper.outcomes)
        path.write_text("The volute was replaced.")
        await keeper.until(lambda: ("b.md", "replaced") in keeper.outcomes)
        path.unlink()
        await keeper.until(lambda: ("b.md", "missing") in keeper.outcomes)
    assert keeper.asked[0] is None
    assert None not in keeper.asked[1:]
    assert [one for one in keeper.outcomes if one[0] == "a.md"] == [("a.md", "added")]


async def test_a_change_with_a_dropped_event_is_found_soon_after_another_change(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Forgetful(Debounce):
        def touch(self, paths: Iterable[Path]) -> None:
            super().touch(path for path in paths if path.name != "lost.md")

    monkeypatch.setattr("corpus.ingestion.sync_loop.RECHECK_SECONDS", 0.3)
    async with kept(shop, settling=Forgetful(0.3, 0.6)) as keeper:
        shop.put("lost.md", "The impeller turns.")
        shop.put("a.md", "The volute guides.")
        await keeper.until(lambda: ("lost.md", "added") in keeper.outcomes)


async def test_a_moved_folder_keeps_its_documents(shop: Shop) -> None:
    for name in ("one/a.md", "one/sub/b.md"):
        shop.put(name, f"The impeller of {name} turns.")
    async with kept(shop) as keeper:
        await keeper.until(lambda: len(keeper.outcomes) == 2)
        before = await shop.ids()
        (shop.folder / "one").rename(shop.folder / "two")
        await keeper.until(lambda: ("b.md", "unchanged") in keeper.outcomes)
    assert await shop.ids() == before
    places = [one.source_path for one in await shop.index.all_documents()]
    assert places == [str(shop.folder / "two" / name) for name in ("a.md", "sub/b.md")]


async def test_a_file_replaced_by_an_editor_is_updated_and_never_missing(
    shop: Shop,
) -> None:
    shop.put("a.md", "The impeller turns.")
    async with kept(shop) as keeper:
        await keeper.until(lambda: keeper.outcomes)
        (shop.folder / "a.md").unlink()
        shop.put(".a.md.swp", "The volute guides.").rename(shop.folder / "a.md")
        await keeper.until(lambda: ("a.md", "replaced") in keeper.outcomes)
    assert ("a.md", "missing") not in keeper.outcomes


async def test_a_new_rule_causes_a_new_scan_of_its_folder(shop: Shop) -> None:
    shop.put("draft.md", "The impeller turns.")
    async with kept(shop) as keeper:
        await keeper.until(lambda: keeper.outcomes)
        (shop.folder / ".ibidignore").write_text("draft.md")
        await keeper.until(lambda: ("draft.md", "missing") in keeper.outcomes)


async def test_a_root_created_later_is_ingested(shop: Shop) -> None:
    late = shop.folder / "late"
    async with kept(shop, late) as keeper:
        shop.put("made/a.md", "The impeller turns.")
        (shop.folder / "made").rename(late)
        await keeper.until(lambda: ("a.md", "added") in keeper.outcomes)
        (late / "b.md").write_text("The volute guides.")
        await keeper.until(lambda: ("b.md", "added") in keeper.outcomes)


async def test_a_single_file_is_kept_up_to_date(shop: Shop) -> None:
    path = shop.put("a.md", "The impeller turns.")
    async with kept(shop, path) as keeper:
        await keeper.until(lambda: keeper.outcomes)
        shop.put("new", "The volute guides.").rename(path)
        await keeper.until(lambda: ("a.md", "replaced") in keeper.outcomes)


async def test_the_first_failure_is_raised(shop: Shop) -> None:
    keeper = Keeper(shop, shop.folder)
    keeper.fails = True
    with pytest.raises(Timeout, match="busy"):
        await keep_up([shop.folder], keeper)


async def test_without_file_events_the_folder_is_polled(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHFILES_FORCE_POLLING", "1")
    async with kept(shop) as keeper:
        shop.put("a.md", "The impeller turns.")
        await keeper.until(lambda: ("a.md", "added") in keeper.outcomes)


async def test_a_system_without_more_watches_is_polled(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    def awatch(*paths: Path, force_polling: bool | None, **how: object) -> object:
        if not force_polling:
            raise OSError("OS file watch limit reached.")
        return watchfiles.awatch(*paths, force_polling=True, **how)  # type: ignore[arg-type]

    monkeypatch.setattr("corpus.ingestion.sync_loop.awatch", awatch)
    async with kept(shop) as keeper:
        shop.put("a.md", "The impeller turns.")
        await keeper.until(lambda: ("a.md", "added") in keeper.outcomes)


async def test_a_refused_watch_is_set_again_soon(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    refusals = 0

    def awatch(*paths: Path, **how: object) -> object:
        nonlocal refusals
        refusals += 1
        if refusals < 3:  # first with events, then by polling
            raise OSError("OS file watch limit reached.")
        return watchfiles.awatch(*paths, **how)  # type: ignore[arg-type]

    slept: list[float] = []
    sleep = anyio.sleep

    async def briefly(seconds: float) -> None:
        slept.append(seconds)
        await sleep(min(seconds, 0.05))

    monkeypatch.setattr("corpus.ingestion.sync_loop.awatch", awatch)
    monkeypatch.setattr("corpus.ingestion.sync_loop.anyio.sleep", briefly)
    async with kept(shop) as keeper:
        shop.put("a.md", "The impeller turns.")
        await keeper.until(lambda: ("a.md", "added") in keeper.outcomes)
    assert max(slept) <= 5
