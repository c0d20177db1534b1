"""`ibid azure push` with a credential that may not upload, and with a service that does not answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.azure.shops import Shop
from tests.azure.uploads import batches, make_indexes
from tests.doubles.azure_search.in_thread import standing_in
from tests.shelf import a_document, texts


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    with standing_in() as service:
        make_indexes(service)
        shop = Shop(tmp_path / "index", service, monkeypatch)
        shop.put(a_document(access_control_list=("department:hr",)), *texts("manual", "one"))
        yield shop


def pushed(shop: Shop, *options: str, code: int) -> str:
    result = shop.run("azure", "push", "--no-vectors", *options)
    assert result.exit_code == code, result.output
    return result.output


@pytest.mark.parametrize("prefixes", [None, "true"])
def test_a_query_key_is_reported_as_read_only_whatever_the_settings_say(shop: Shop, prefixes: str | None) -> None:
    shop.set(AZURE_SEARCH_API_KEY=shop.service.query_key, RAG_PRINCIPAL_PREFIXES=prefixes)
    output = pushed(shop, code=2)
    assert "This credential may not write into index content-blocks." in output
    assert "a query key, which can only read" in output
    assert "must be an admin key" in output
    assert "Search Index Data Contributor" in output
    assert "RAG_PRINCIPAL_PREFIXES" not in output


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_a_wrong_key_ends_push_like_create_indexes(shop: Shop, options: tuple[str, ...]) -> None:
    shop.set(AZURE_SEARCH_API_KEY="none-of-the-keys")
    output = pushed(shop, *options, code=2)
    made = shop.run("azure", "create-indexes", "--no-vectors")
    assert made.exit_code == 2
    assert "Reader" not in output
    for said in (output, made.output) if not options else (made.output,):
        for cause in ("mistyped", "another service", "query key", "firewall"):
            assert cause in said


def test_a_dry_run_attempts_no_write(shop: Shop) -> None:
    shop.set(AZURE_SEARCH_API_KEY=shop.service.query_key, RAG_PRINCIPAL_PREFIXES="true")
    assert "Would be: 1 pushed" in pushed(shop, "--dry-run", code=0)
    assert batches(shop.service) == []


def test_guessed_names_are_reported_as_guessed(shop: Shop) -> None:
    shop.set(AZURE_SEARCH_API_KEY=shop.service.query_key)
    output = pushed(shop, "--dry-run", code=2)
    assert "whose origin this credential may not see, is assumed to have plain names" in output
    assert "Set RAG_PRINCIPAL_PREFIXES=true" in output


def test_the_output_names_the_service_before_it_answers(shop: Shop) -> None:
    shop.set(AZURE_SEARCH_ENDPOINT="https://company-search.invalid")
    output = pushed(shop, code=1)
    assert output.startswith("Connecting to company-search.invalid ...\n")
    assert "No address is known for company-search.invalid" in output


def test_without_an_endpoint_the_upload_role_is_named(shop: Shop) -> None:
    shop.set(AZURE_SEARCH_ENDPOINT=None)
    output = pushed(shop, code=2)
    assert "AZURE_SEARCH_ENDPOINT is not set. Set it, such as https://NAME.search.windows.net" in output
    assert "an admin key in AZURE_SEARCH_API_KEY" in output
    assert "Search Index Data Contributor" in output


def test_a_key_under_another_programs_name_is_refused_with_the_right_name(shop: Shop) -> None:
    shop.set(AZURE_SEARCH_API_KEY=None, AZURE_SEARCH_KEY="x")
    assert "Did you mean AZURE_SEARCH_API_KEY" in pushed(shop, code=2)
