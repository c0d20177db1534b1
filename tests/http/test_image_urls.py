"""Pictures over HTTP: at addresses that a browser can fetch, for one caller and a limited time."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from corpus.access import ANONYMOUS, Caller
from corpus.documents.block import Picture
from corpus.index.protocol import NewBlock
from server.http.picture_urls import PATH, Grant, Keys, Seal, granted, origin_of
from tests.doubles.in_thread import in_thread
from tests.http.site import Site
from tests.server.desk import PNG, answer_in, figure, manual

pytestmark = pytest.mark.anyio

KEYS = "k" * 32 + "," + "o" * 32
FIGURE = "pump-p2-f1"
SOON = 2_000_000_000


class Gallery(Site):
    """A site whose manual has a picture for its figure."""

    async def _fill(self) -> None:
        await super()._fill()
        shown = figure("Figure 3: Impeller, exploded view", access_control_list=("*",))
        await self.index.replace(manual(), [NewBlock(shown, Picture(PNG, "image/png"))])


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    variables = {"RAG_HTTP_KEYS": KEYS}
    with in_thread(Gallery(tmp_path_factory.mktemp("gallery"), variables)) as running:
        yield running


def seal(site: Site, secret: str = "k" * 32, origin: str = "") -> Seal:
    return Seal(Keys([secret.encode()]).derived("images"), origin or origin_of(site.url))


def sealed(site: Site, caller: Caller = ANONYMOUS, allowed: tuple[str, ...] = ("*",), **changes: Any) -> str:
    block_id, expires = changes.pop("block_id", FIGURE), changes.pop("expires", SOON)
    grant = granted(block_id, allowed, caller, expires)
    assert grant
    return f"{origin_of(site.url)}{PATH}{seal(site, **changes).sealed(grant)}"


async def fetched(url: str, method: str = "GET", **headers: str) -> httpx2.Response:
    async with httpx2.AsyncClient() as browser:
        return await browser.request(method, url, headers=headers)


async def shown(site: Site, era: str, tool: str, arguments: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the answer, and the picture addresses in it."""
    async with site.client(era) as client:
        result = await client.call_tool(tool, arguments)
    answer = answer_in(result)
    assert json.loads(result.content[0].text) == answer  # type: ignore[union-attr]
    return answer, [one for one in _texts(answer) if PATH in one]


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("rag_semantic_search", {"query": "impeller exploded view"}),
        ("rag_get_document", {"doc_id": "pump"}),
        ("rag_synthesize", {"query": "impeller exploded view", "mode": "compose"}),
    ],
)
async def test_a_browser_without_a_token_sees_the_picture_of_an_answer(
    gallery: Site, era: str, tool: str, arguments: dict[str, Any]
) -> None:
    answer, urls = await shown(gallery, era, tool, arguments)

    assert "rag://blocks/" not in json.dumps(answer)
    assert urls
    got = await fetched(re.search(r"http[^ )]+", urls[0])[0])  # type: ignore[index]
    assert (got.status_code, got.content) == (200, PNG)


async def test_composed_markdown_shows_the_picture_at_the_same_address(gallery: Site) -> None:
    answer, _ = await shown(gallery, "auto", "rag_synthesize", {"query": "impeller exploded view", "mode": "compose"})

    assert f"![Figure 3: Impeller, exploded view]({origin_of(gallery.url)}{PATH}" in answer["answer"]


async def test_a_figure_is_linked_at_an_address_that_a_browser_can_fetch(gallery: Site, era: str) -> None:
    async with gallery.client(era) as client:
        result = await client.call_tool("rag_semantic_search", {"query": "impeller exploded view"})

    (link,) = [part for part in result.content if part.type == "resource_link"]
    assert str(link.uri) == answer_in(result)["results"][0]["image_url"]
    assert (await fetched(str(link.uri))).content == PNG


async def test_a_citation_link_leads_to_the_page(gallery: Site) -> None:
    answer, _ = await shown(
        gallery,
        "auto",
        "rag_synthesize",
        {"query": "impeller exploded view", "mode": "compose", "links": True},
    )

    (address,) = set(re.findall(r"\(Source: pump.pdf, S. 2\)\]\((http[^)]+)\)", answer["answer"]))
    assert address.endswith("#page=2")
    assert (await fetched(address)).status_code == 200


async def test_the_same_question_gives_the_same_address_for_a_while(gallery: Site) -> None:
    first, second = [
        (await shown(gallery, "auto", "rag_semantic_search", {"query": "impeller view"}))[1] for _ in range(2)
    ]

    assert first == second or time.time() % 300 < 5


async def test_a_document_resource_names_fetchable_addresses(gallery: Site, era: str) -> None:
    async with gallery.client(era) as client:
        held = json.loads((await client.read_resource("rag://documents/pump")).contents[0].text)  # type: ignore[union-attr]

    assert (await fetched(held["document"]["figures"][0]["image_url"])).content == PNG


async def test_the_response_contains_nothing_but_a_picture(gallery: Site) -> None:
    got = await fetched(sealed(gallery))
    head = await fetched(sealed(gallery), "HEAD")

    assert got.headers["content-type"] == "image/png"
    assert got.headers["x-content-type-options"] == "nosniff"
    assert got.headers["content-security-policy"] == "default-src 'none'"
    assert got.headers["content-disposition"] == "inline"
    assert got.headers["cross-origin-resource-policy"] == "cross-origin"
    assert got.headers["cache-control"].startswith("private, max-age=")
    assert "set-cookie" not in got.headers
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(PNG))


async def test_a_picture_is_cached_no_longer_than_its_address_is_valid(gallery: Site) -> None:
    got = await fetched(sealed(gallery, expires=int(time.time()) + 60))

    assert int(got.headers["cache-control"].removeprefix("private, max-age=")) <= 60


async def test_an_older_key_still_opens_an_address(gallery: Site) -> None:
    assert (await fetched(sealed(gallery, secret="o" * 32))).status_code == 200


async def test_every_invalid_address_gets_the_same_answer(gallery: Site) -> None:
    good = sealed(gallery)
    ann = Caller(user_id="ann")
    wrong = {
        "expired": sealed(gallery, expires=int(time.time()) - 1),
        "another key": sealed(gallery, secret="x" * 32),
        "another host": sealed(gallery, origin="https://elsewhere.example.org"),
        "no such block": sealed(gallery, block_id="pump-p9-f9"),
        "a text": sealed(gallery, block_id="pump-p1-1"),
        "not his": sealed(gallery, Caller(user_id="bob"), ("user:bob",), block_id="salaries-p1-1"),
        "hers, but no picture": sealed(gallery, ann, ("user:ann",), block_id="salaries-p1-1"),
        "tampered": good[:-1] + ("A" if good[-1] != "A" else "B"),
        "longer": f"{good}A",
        "cut": good[:-8],
        "padded": f"{good}=",
        "a folder below": f"{good}/%2e%2e",
        "a listing": good[: good.rindex("/") + 1],
        "very long": good + "A" * 5000,
        "of no alphabet": f"{origin_of(gallery.url)}{PATH}%C3%A4%00",
    }

    seen = {what: await fetched(url) for what, url in wrong.items()}

    assert {what: (one.status_code, one.text) for what, one in seen.items()} == dict.fromkeys(
        wrong, (404, "There is no picture here, or it has expired.\n")
    )
    assert len({tuple(sorted((k, v) for k, v in one.headers.items() if k != "date")) for one in seen.values()}) == 1


async def test_a_revoked_right_ends_the_address_immediately(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    async with Site(tmp_path_factory.mktemp("revoked"), {"RAG_HTTP_KEYS": KEYS}) as site:
        secret = figure("Plan", doc_id="plan")
        url = sealed(site, Caller(user_id="ann", groups=frozenset({"hr"})), ("group:hr",), block_id=secret.block_id)
        await _put(site, secret, "group:hr")
        allowed = (await fetched(url)).status_code
        await _put(site, secret, "user:ann")
        taken = (await fetched(url)).status_code
        await _put(site, secret, "group:hr")
        await site.index.remove("plan")
        removed = (await fetched(url)).status_code

    assert (allowed, taken, removed) == (200, 404, 404)


async def _put(site: Site, block: Any, allowed: str) -> None:
    document = manual("plan", access=(allowed,))
    one = replace(block, access_control_list=(allowed,))
    await site.index.replace(document, [NewBlock(one, Picture(PNG, "image/png"))])


def test_an_address_reveals_nothing_to_its_reader(gallery: Site) -> None:
    url = sealed(gallery, Caller(user_id="ann"), ("user:ann",))

    assert "ann" not in urlsplit(url).path
    assert FIGURE not in url
    assert len(url) < 160


@pytest.mark.parametrize(
    ("allowed", "opened_by"),
    [
        (("*", "user:ann"), "*"),
        (("group:b", "user:ann"), "uann"),
        (("group:b", "group:a"), "ga"),
        (("department:HR",), "dHR"),
        (("ann",), "uann"),
        (("user:bob",), None),
    ],
)
def test_an_address_contains_only_one_name_of_the_caller(allowed: tuple[str, ...], opened_by: str | None) -> None:
    ann = Caller(user_id="ann", department="HR", groups=frozenset({"a", "b"}))

    grant = granted(FIGURE, allowed, ann, SOON)

    assert (grant and grant.opened_by) == opened_by


def test_a_seal_opens_only_its_own_addresses() -> None:
    made = Seal([b"a" * 32], "https://one.example.org")
    token = made.sealed(Grant(FIGURE, "*", b"12345678", SOON))

    assert made.opened(token) == Grant(FIGURE, "*", b"12345678", SOON)
    assert Seal([b"b" * 32], "https://one.example.org").opened(token) is None
    assert Seal([b"b" * 32, b"a" * 32], "https://one.example.org").opened(token) is not None
    assert Seal([b"a" * 32], "https://two.example.org").opened(token) is None
