"""Figure pictures in Azure Blob Storage: where they are stored, what is sent twice, and the output."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpus.index.azure.pictures import picture_name
from corpus.index.azure.upload.document_upload import naming_secret
from tests.azure.shops import Shop
from tests.azure.uploads import by_id, make_indexes
from tests.doubles.azure_search.in_thread import standing_in
from tests.doubles.blob_storage import BlobStorage, blob_storage
from tests.shelf import PICTURE, a_document, figure, texts

HR = ("department:hr",)


@pytest.fixture
def container() -> Iterator[BlobStorage]:
    with blob_storage() as storage:
        yield storage


def name_of(shop: Shop) -> str:
    return picture_name(naming_secret(shop.folder), PICTURE)


@pytest.fixture
def shop(tmp_path: Path, container: BlobStorage, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    with standing_in() as service:
        make_indexes(service)
        shop = Shop(tmp_path / "index", service, monkeypatch)
        shop.set(AZURE_STORAGE_CONTAINER_URL=container.url, AZURE_STORAGE_ACCOUNT_KEY=container.key)
        shop.put(
            a_document(access_control_list=HR, content_hash="1"),
            figure("manual", "Impeller"),
            *texts("manual", "x"),
        )
        yield shop


def test_a_picture_gets_an_unguessable_name_which_is_stored_in_the_index(shop: Shop, container: BlobStorage) -> None:
    assert shop.run("azure", "push").exit_code == 0
    assert container.held == {name_of(shop): (PICTURE.data, "image/png")}
    rows = by_id(shop.service)
    assert rows["manual-f1"]["image_url"] == name_of(shop)
    assert rows["manual-0"]["image_url"] is None
    assert container.key not in str(rows)


def test_no_picture_is_sent_twice(shop: Shop, container: BlobStorage) -> None:
    shop.put(a_document("b", access_control_list=HR), figure("b", "The same", 1), figure("b", "Again", 2))
    shop.run("azure", "push")
    container.requests.clear()
    shop.put(a_document(access_control_list=HR, content_hash="2"), figure("manual", "Impeller, new words"))
    assert "1 pushed, 1 unchanged." in shop.run("azure", "push").output
    assert container.requests == [f"HEAD {name_of(shop)}"]


def test_a_create_only_signature_is_enough(shop: Shop, container: BlobStorage) -> None:
    shop.set(AZURE_STORAGE_CONTAINER_URL=container.signed_url("c"), AZURE_STORAGE_ACCOUNT_KEY=None)
    assert shop.run("azure", "push").exit_code == 0
    shop.put(a_document(access_control_list=HR, content_hash="2"), figure("manual", "Impeller, new words"))
    assert shop.run("azure", "push").exit_code == 0
    assert set(container.held) == {name_of(shop)}


def test_a_signature_that_cannot_write_is_reported_and_stays_secret(shop: Shop, container: BlobStorage) -> None:
    address = container.signed_url("r")
    shop.set(AZURE_STORAGE_CONTAINER_URL=address, AZURE_STORAGE_ACCOUNT_KEY=None)
    result = shop.run("azure", "push")
    assert result.exit_code == 2
    assert "does not permit pictures to be written" in " ".join(result.output.split())
    assert address.partition("sig=")[2] not in result.output
    assert "internal" not in result.output
    assert by_id(shop.service) == {}


def test_pictures_left_out_are_uploaded_once_there_is_a_container(shop: Shop, container: BlobStorage) -> None:
    shop.put(a_document("plain", access_control_list=HR), *texts("plain", "no figure"))
    shop.set(AZURE_STORAGE_CONTAINER_URL=None)
    assert "1 figure was uploaded without its picture" in shop.run("azure", "push").output
    shop.set(AZURE_STORAGE_CONTAINER_URL=container.url)
    assert "1 pushed, 1 unchanged." in shop.run("azure", "push").output
    assert by_id(shop.service)["manual-f1"]["image_url"]
    shop.set(AZURE_STORAGE_CONTAINER_URL=None)
    assert "2 unchanged." in shop.run("azure", "push").output


def test_the_setting_is_masked_and_an_invalid_one_is_not_repeated(shop: Shop, container: BlobStorage) -> None:
    assert container.key not in shop.run("config").output
    shop.set(AZURE_STORAGE_CONTAINER_URL="https://x.net/c?sig=very-secret")
    assert "very-secret" not in shop.run("config").output
    for wrong in (
        "https://x.blob.core.windows.net?sig=very-secret",
        "http://x.net/c?sig=very-secret",
        "sig=very-secret",
    ):
        shop.set(AZURE_STORAGE_CONTAINER_URL=wrong)
        result = shop.run("config")
        assert result.exit_code == 2
        assert "AZURE_STORAGE_CONTAINER_URL is no" in result.output
        assert "very-secret" not in result.output


def test_without_the_package_the_error_names_the_extra(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "azure.storage.blob.aio", None)
    result = shop.run("azure", "push")
    assert result.exit_code == 2
    assert "pip install 'ibid-mcp[azure-blobs]'" in result.output
