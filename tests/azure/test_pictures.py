"""Pictures in a private container: the real client of Blob Storage with an account that checks every signature."""

from __future__ import annotations

import hashlib
import ssl
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import aiohttp
import pytest

from corpus.access import ANONYMOUS, Caller
from corpus.documents.block import Picture
from corpus.errors import AzureSearchError, DocumentNotFound, NotConfigured
from corpus.index.azure.pictures import MAX_SECONDS, Container, PictureStore, picture_name
from corpus.index.azure.upload.document_upload import FILE, naming_secret
from tests.access_contract import AccessContract
from tests.azure.identity_endpoint import identity_endpoint
from tests.azure.pushed_shelf import PushedShelf
from tests.azure.test_own_contract import own_shelf
from tests.azure.wire import assert_every_read_was_filtered
from tests.doubles.azure_search import StandIn
from tests.doubles.blob_storage import BlobStorage, blob_storage
from tests.index_contract import IndexContract
from tests.server.desk import PNG
from tests.shelf import ANN, OpenShelf, a_document, figure, search, texts

pytestmark = pytest.mark.anyio

IMPELLER = Picture(PNG, "image/png")
NAME = picture_name(b"k" * 32, IMPELLER)
OTHER = f"figures/{'0' * 64}.png"


@pytest.fixture(scope="module")
def account() -> Iterator[BlobStorage]:
    with blob_storage(tls=True) as storage:
        yield storage


@pytest.fixture
def storage(account: BlobStorage) -> BlobStorage:
    account.held.clear()
    account.requests.clear()
    account.tokens.clear()
    account.now, account.public, account.refuses = time.time, False, 0
    return account


@pytest.fixture(params=["account key", "identity"])
def container(
    storage: BlobStorage, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Container]:
    if request.param == "account key":
        yield Container(storage.url, storage.key, storage.ca_file)
        return
    with identity_endpoint() as endpoint:
        for name, value in endpoint.environment.items():
            monkeypatch.setenv(name, value)
        storage.tokens[endpoint.token] = "rwd"
        yield Container(storage.url, ca_file=storage.ca_file)
        assert set(endpoint.resources) <= {"https://storage.azure.com"}


@asynccontextmanager
async def opened(container: Container, **more: Callable[[], float]) -> AsyncIterator[PictureStore]:
    """Open a store that contains the picture of the impeller."""
    async with PictureStore(container, **more) as store:
        await store.put(NAME, IMPELLER)
        yield store


async def fetched(storage: BlobStorage, address: str) -> tuple[int, bytes]:
    """Fetch as a browser does, which has only the address."""
    context = ssl.create_default_context(cafile=storage.ca_file)
    async with aiohttp.ClientSession() as browser, browser.get(_as_it_is(address), ssl=context) as answer:
        return answer.status, await answer.read()


def _as_it_is(address: str) -> object:
    from yarl import URL

    return URL(address, encoded=True)


async def test_a_picture_is_read_back_unchanged(container: Container) -> None:
    async with opened(container) as store:
        assert await store.get(NAME) == IMPELLER
        assert await store.get(OTHER) is None


async def test_an_address_opens_one_picture_for_reading_over_https_for_fifteen_minutes(
    container: Container, storage: BlobStorage
) -> None:
    async with opened(container) as store:
        address = await store.signed(NAME)
    assert address
    assert await fetched(storage, address) == (200, PNG)
    said = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    assert (said["sp"], said["sr"], said["spr"]) == ("r", "b", "https")
    assert 0 < datetime.fromisoformat(said["se"]).timestamp() - time.time() <= MAX_SECONDS == 900


async def test_the_same_picture_keeps_its_address_for_a_while(container: Container) -> None:
    moment = 1_800_000_000.0
    async with opened(container, now=lambda: moment) as store:
        first = await store.signed(NAME)
        moment += 299
        assert await store.signed(NAME) == first
        moment += 2
        assert await store.signed(NAME) != first


async def test_an_expired_address_is_refused(container: Container, storage: BlobStorage) -> None:
    async with opened(container) as store:
        address = await store.signed(NAME)
    assert address
    storage.now = lambda: time.time() + MAX_SECONDS + 1
    assert (await fetched(storage, address))[0] == 403


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("sp=r", "sp=rw"), ("sp=r", "sp=racwd"), ("sr=b", "sr=c"), ("spr=https", "spr=https%2Chttp"),
        ("&spr=https", ""), (f"{NAME}?", f"{OTHER}?"), ("sig=", "sig=A"), ("/pictures/", "/others/"),
        ("se=2", "se=3"), ("sv=20", "sv=19"),
    ],
)  # fmt: skip
async def test_a_modified_address_is_refused(container: Container, storage: BlobStorage, old: str, new: str) -> None:
    async with opened(container) as store:
        await store.put(OTHER, IMPELLER)
        address = await store.signed(NAME)
    assert address
    assert old in address
    assert (await fetched(storage, address.replace(old, new)))[0] in (403, 404)


async def test_an_address_that_is_unsigned_or_signed_by_another_account_is_refused(
    storage: BlobStorage, container: Container
) -> None:
    async with opened(container):
        pass
    foreign = Container(storage.url, "A" * 86 + "==", storage.ca_file)
    async with PictureStore(foreign) as store:
        address = await store.signed(NAME)
    assert address
    assert (await fetched(storage, address))[0] == 403
    assert (await fetched(storage, address.partition("?")[0]))[0] == 404


async def test_a_delegation_key_is_requested_once_and_renewed_before_it_expires(
    storage: BlobStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = time.time()
    with identity_endpoint() as endpoint:
        for name, value in endpoint.environment.items():
            monkeypatch.setenv(name, value)
        storage.tokens[endpoint.token] = "rwd"
        storage.now = lambda: moment
        async with PictureStore(Container(storage.url, ca_file=storage.ca_file), now=lambda: moment) as store:
            for _ in range(5):
                assert await store.signed(NAME)
            assert storage.requests == ["POST delegation key"]
            moment += 3000  # the key would expire before the address
            await store.put(NAME, IMPELLER)
            address = await store.signed(NAME)
            assert storage.requests.count("POST delegation key") == 2
    assert address
    assert await fetched(storage, address) == (200, PNG)


async def test_a_signature_in_the_setting_can_read_and_is_handed_to_nobody(storage: BlobStorage) -> None:
    async with opened(Container(storage.signed_url(), ca_file=storage.ca_file)) as store:
        assert await store.get(NAME) == IMPELLER
        assert await store.signed(NAME) is None


async def test_a_missing_right_is_reported_without_the_service_text(
    storage: BlobStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    for rights, does in (("r", "write"), ("w", "read"), ("rw", "sign")):
        with identity_endpoint() as endpoint:
            for name, value in endpoint.environment.items():
                monkeypatch.setenv(name, value)
            storage.tokens[endpoint.token] = rights
            async with PictureStore(Container(storage.url, ca_file=storage.ca_file)) as store:
                work = {"write": lambda: store.put(OTHER, IMPELLER), "read": lambda: store.get(OTHER)}
                with pytest.raises(NotConfigured, match="Storage Blob") as refused:
                    await work.get(does, lambda: store.signed(NAME))()
        assert "internal" not in str(refused.value)
    async with PictureStore(Container(storage.signed_url("r"), ca_file=storage.ca_file)) as store:
        with pytest.raises(NotConfigured, match="Create and Write") as refused:
            await store.put(OTHER, IMPELLER)
    assert "sig" not in str(refused.value).replace("signature", "")
    storage.refuses = 400
    async with PictureStore(Container(storage.url, storage.key, storage.ca_file)) as store:
        with pytest.raises(AzureSearchError, match="status 400"):
            await store.get(OTHER)


def test_blob_names_depend_on_a_secret_of_the_folder(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
    name = picture_name(naming_secret(here), IMPELLER)
    assert name == picture_name(naming_secret(here), IMPELLER)
    assert name != picture_name(naming_secret(there), IMPELLER)
    assert hashlib.sha256(PNG).hexdigest() not in name
    assert len(name.split("/")[1].split(".")[0]) == 64
    assert (here / FILE).stat().st_mode & 0o077 == 0
    (here / FILE).write_bytes(b"short")
    assert len(naming_secret(here)) == 32


@pytest.mark.parametrize(
    "other",
    [
        None, "", "https://elsewhere.net/a.png", "../a.png", "a//b.png", "/a.png", "a.png?sig=x", "a b.png", "rag://x",
        "figures/..", "figures/%2e%2e/a.png", "data:image/png;base64,AAAA",
    ],
)  # fmt: skip
def test_only_blob_names_of_this_container_are_signed(storage: BlobStorage, other: str | None) -> None:
    store = PictureStore(Container(storage.url, storage.key))
    assert store.name_of(NAME) == NAME == store.name_of(f"{storage.url}/{NAME}")
    assert store.name_of(other) is None
    assert store.name_of(f"{storage.url}x/{NAME}") is None


@pytest.fixture(params=["admin key", pytest.param("query key", marks=pytest.mark.slow)])
def open_shelf(service: StandIn, storage: BlobStorage, request: pytest.FixtureRequest) -> OpenShelf:
    container = Container(storage.url, storage.key, storage.ca_file)

    @asynccontextmanager
    async def opened(*, prefixed: bool) -> AsyncIterator[PushedShelf]:
        querying = request.param == "query key"
        async with own_shelf(service, prefixed=prefixed, querying=querying, container=container) as shelf:
            yield shelf

    return opened


class TestIndexWithPictures(IndexContract):
    holds_pictures = True


class TestAccessToPictures(AccessContract):
    pass


async def test_a_revoked_right_applies_to_the_next_address(open_shelf: OpenShelf, storage: BlobStorage) -> None:
    async with open_shelf(prefixed=True) as shelf:
        await shelf.put(a_document(access_control_list=("user:ann",)), figure("manual", "An impeller"))
        given = (await shelf.index.picture_addresses(["manual-f1"], ANN))["manual-f1"]
        for nobody in (ANONYMOUS, Caller(user_id="bob")):
            assert await shelf.index.picture_addresses(["manual-f1"], nobody) == {}
            with pytest.raises(DocumentNotFound):
                await shelf.index.picture("manual-f1", nobody)
        await shelf.put(a_document(access_control_list=("user:bob",)), figure("manual", "An impeller"))
        assert await shelf.index.picture_addresses(["manual-f1"], ANN) == {}
    assert (await fetched(storage, given))[0] == 200
    storage.now = lambda: time.time() + MAX_SECONDS + 1
    assert (await fetched(storage, given))[0] == 403


async def test_a_hit_shows_no_blob_name_and_causes_no_request_to_the_container(
    open_shelf: OpenShelf, storage: BlobStorage
) -> None:
    async with open_shelf(prefixed=True) as shelf:
        await shelf.put(a_document(), *texts("manual", "A pump."), figure("manual", "An impeller"))
        storage.requests.clear()
        found = await search(shelf, "impeller", ANONYMOUS)
        (image,) = [hit.block for hit in found.hits if hit.block.block_type == "image"]
        assert image.image_url == "rag://blocks/manual-f1/image"
        assert storage.requests == []


async def test_every_picture_lookup_carries_the_access_filter(service: StandIn, storage: BlobStorage) -> None:
    container = Container(storage.url, storage.key, storage.ca_file)
    async with own_shelf(service, prefixed=True, container=container) as shelf:
        await shelf.put(a_document(), figure("manual", "An impeller"))
        service.requests.clear()
        await shelf.index.picture("manual-f1", ANN)
        await shelf.index.picture_addresses(["manual-f1", "') or true or ('", "none"], ANN)
        await shelf.index.page_picture("manual", 1, ANN)
        assert assert_every_read_was_filtered(service) == 3
