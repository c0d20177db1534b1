"""Pictures in separate files that a Markdown or HTML file embeds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from corpus.access import ANONYMOUS, Caller
from corpus.readers.protocol import PageListener, ReadDocument, Refuse
from corpus.search import Search
from tests.ingestion.shop import ANN, Shop, details, kinds
from tests.readers.drawings import drawn_picture

pytestmark = pytest.mark.anyio
HTML = "<p>The zorkmid curve.</p><figure><img src='{0}'><figcaption>Figure 1: a curve</figcaption></figure>"
MARKDOWN = "# Page\n\nThe zorkmid curve.\n\n![Figure 1: a curve]({0})\n"
both = pytest.mark.parametrize(("name", "text"), [("page.md", MARKDOWN), ("page.html", HTML)])


def draw(shop: Shop, name: str, colour: str = "navy") -> Path:
    path = shop.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(drawn_picture(colour))
    return path


async def figures(shop: Shop, caller: Caller = ANONYMOUS) -> int:
    hits = (await shop.index.find(Search("curve"), caller)).hits
    return sum(1 for hit in hits if hit.block.block_type == "image" and hit.document.filename != "salary.png")


@both
async def test_a_picture_that_is_a_restricted_document_is_left_out_of_a_public_page(
    shop: Shop, name: str, text: str
) -> None:
    await shop.ingest(draw(shop, "hr/salary.png").parent, allow=("user:ann",))
    shop.put(name, text.format("hr/salary.png"))
    report = await shop.ingest()
    assert await figures(shop, ANN) == 0
    assert "Pictures left out" in details(report)[name]
    assert details(report)[name].endswith(": 1.")


async def test_a_copy_of_a_restricted_picture_is_left_out_unless_all_readers_may_see_it(shop: Shop) -> None:
    picture = draw(shop, "hr/salary.png")
    await shop.ingest(picture, allow=("user:ann",))
    picture.rename(shop.folder / "copy.png")
    await shop.ingest(shop.put("page.md", MARKDOWN.format("copy.png")))
    await shop.ingest(shop.put("hers.md", MARKDOWN.format("copy.png")), allow=("user:ann",))
    hits = (await shop.index.find(Search("curve"), ANN)).hits
    shown = {hit.document.filename for hit in hits if hit.block.block_type == "image"}
    assert shown & {"page.md", "hers.md"} == {"hers.md"}


@both
@pytest.mark.parametrize("picture", [".private/x.png", "ignored.png", "sub/ignored.png", "~$x.png"])
async def test_a_hidden_or_ignored_picture_is_left_out(shop: Shop, name: str, text: str, picture: str) -> None:
    shop.put(".ibidignore", "ignored.png\n")
    draw(shop, picture)
    shop.put(name, text.format(picture))
    report = await shop.ingest()
    assert await figures(shop) == 0
    assert "Pictures left out" in details(report)[name]


@both
async def test_any_other_picture_is_shown_also_for_a_page_named_by_itself(shop: Shop, name: str, text: str) -> None:
    draw(shop, "img/x.png")
    await shop.ingest(shop.put(name, text.format("img/x.png")))
    assert await figures(shop) == 1


@both
async def test_a_page_is_read_again_only_when_its_picture_changes(shop: Shop, name: str, text: str) -> None:
    picture = draw(shop, "img/x.png")
    page = shop.put(name, text.format("img/x.png"))
    await shop.ingest()
    assert kinds(await shop.ingest())[name] == "unchanged"
    draw(shop, "img/x.png", "red")
    os.utime(page, (5, 5))
    assert kinds(await shop.ingest())[name] == "replaced"
    draw(shop, "img/x.png", "green")
    assert kinds(await shop.ingest(by_time=True, changed=[picture]))[name] == "replaced"
    picture.unlink()
    assert kinds(await shop.ingest(by_time=True))[name] == "replaced"
    assert await figures(shop) == 0


async def test_a_page_stops_showing_a_picture_that_is_restricted_later(shop: Shop) -> None:
    picture = draw(shop, "salary.png")
    shop.put("page.md", MARKDOWN.format("salary.png"))
    await shop.ingest()
    assert await figures(shop) == 1
    await shop.ingest(picture, allow=("user:ann",))
    assert kinds(await shop.ingest())["page.md"] == "replaced"
    assert await figures(shop, ANN) == 0


async def test_a_picture_returns_when_the_readers_of_the_page_may_see_it_again(shop: Shop) -> None:
    picture = draw(shop, "salary.png")
    shop.put("page.md", MARKDOWN.format("salary.png"))
    await shop.ingest(allow=("user:ann",))
    await shop.ingest(picture, allow=("user:carol",))
    await shop.ingest()
    assert await figures(shop, ANN) == 0
    await shop.ingest(picture, allow=("user:ann",))
    assert [kinds(await shop.ingest())["page.md"] for _ in range(2)] == ["replaced", "unchanged"]
    assert await figures(shop, ANN) == 1


async def test_a_page_read_while_another_picture_was_there_is_read_again(shop: Shop) -> None:
    class Meanwhile:
        async def read(
            self, path: Path, listener: PageListener | None = None, refuse: Refuse | None = None
        ) -> ReadDocument:
            if path.name != "page.md":
                return await reading.read(path, listener, refuse)
            aside = picture.rename(shop.folder / "aside.png")
            picture.write_bytes(drawn_picture("red"))
            try:
                return await reading.read(path, listener, refuse)
            finally:
                aside.rename(picture)

    picture = draw(shop, "x.png")
    shop.put("page.md", MARKDOWN.format("x.png"))
    reading, shop.reading = shop.reading, Meanwhile()
    await shop.ingest()
    shop.reading = reading
    assert [kinds(await shop.ingest())["page.md"] for _ in range(2)] == ["replaced", "unchanged"]
