"""`ibid list`, `search` and `doctor` with a service: messages about settings that do not fit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.azure.shops import Shop
from tests.azure.uploads import BLOCKS, DOCUMENTS, make_indexes
from tests.doubles.azure_search.in_thread import standing_in


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    """A machine with a row in each index."""
    with standing_in() as service:
        make_indexes(service)
        row = {"doc_id": "manual", "filename": "manual.pdf", "title": "Manual", "access_control_list": ["*"]}
        service.put_documents(DOCUMENTS, [row])
        block = {"block_id": "manual-0", "block_type": "text", "content": "The pump needs oil."}
        service.put_documents(BLOCKS, [row | block])
        shop = Shop(tmp_path / "index", service, monkeypatch)
        shop.set(RAG_BACKEND="azure")
        yield shop


@pytest.mark.parametrize("key", ["query_key", "admin_key"])
@pytest.mark.parametrize("command", [("list",), ("search", "manual"), ("doctor",)])
def test_swapped_index_names_are_reported_as_such(shop: Shop, key: str, command: tuple[str, ...]) -> None:
    shop.set(
        AZURE_SEARCH_API_KEY=getattr(shop.service, key),
        AZURE_SEARCH_CONTENT_INDEX=DOCUMENTS,
        AZURE_SEARCH_DOCUMENTS_INDEX=BLOCKS,
    )
    result = shop.run(*command)
    assert result.exit_code != 0
    assert "AZURE_SEARCH_CONTENT_INDEX and AZURE_SEARCH_DOCUMENTS_INDEX look swapped." in result.output
    assert "retrievable" not in result.output


def test_a_list_shows_its_warnings(shop: Shop) -> None:
    shop.set(AZURE_SEARCH_API_KEY=shop.service.query_key, RAG_USER_ID="ann")
    assert "Note: Access lists are assumed to contain plain names" in shop.run("list").output


@pytest.mark.parametrize(
    ("key", "command"),
    [("admin_key", ("search", "pump")), ("admin_key", ("list",)), ("query_key", ("list",)), ("query_key", ("doctor",))],
)  # fmt: skip
def test_a_missing_document_index_is_reported(shop: Shop, key: str, command: tuple[str, ...]) -> None:
    shop.set(AZURE_SEARCH_API_KEY=getattr(shop.service, key), AZURE_SEARCH_DOCUMENTS_INDEX="nowhere")
    result = shop.run(*command)
    assert result.exit_code != 0
    assert "has no index nowhere" in result.output


@pytest.mark.parametrize("choice", ["manual.pdf", "nosuch.md", "--all"])
def test_a_status_of_single_documents_is_refused(shop: Shop, choice: str) -> None:
    shop.set(AZURE_SEARCH_API_KEY=shop.service.query_key, RAG_USER_ID="ann")
    assert "Documents    1" in shop.run("status").output
    result = shop.run("status", choice)
    assert result.exit_code == 2
    assert "`ibid list` shows the documents" in result.output
