"""A command that uses a service has a deadline, as a tool call does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.calls import deadlines
from server.calls.deadlines import limit_of
from server.settings.model import load_settings
from tests.azure.shops import Shop
from tests.azure.uploads import make_indexes
from tests.doubles.azure_search import Fault
from tests.doubles.azure_search.in_thread import standing_in


@pytest.fixture
def hanging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    with standing_in() as service:
        make_indexes(service)
        service.faults.add(Fault(delay=120), None)
        shop = Shop(tmp_path / "index", service, monkeypatch)
        shop.set(RAG_BACKEND="azure")
        yield shop


@pytest.mark.parametrize("command", [("search", "x"), ("ask", "x"), ("list",), ("status",)])
def test_a_command_over_a_hanging_service_is_ended(
    hanging: Shop, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setattr(deadlines, "WITH_A_SERVICE", 0.4)
    result = hanging.run(*command)
    assert result.exit_code == 1
    assert "The call was ended after 0 seconds: the search service was too slow." in result.output


def test_the_limit_leaves_time_to_report_it_within_half_a_minute(hanging: Shop) -> None:
    limit = limit_of(load_settings())
    assert limit is not None
    assert 29.0 <= limit <= 29.6


def test_a_local_index_has_no_limit(hanging: Shop) -> None:
    hanging.set(RAG_BACKEND="local")
    assert limit_of(load_settings()) is None


def test_an_empty_service_is_filled_by_push_and_not_by_ingest(hanging: Shop) -> None:
    hanging.service.faults.clear()
    output = hanging.run("list").output
    assert "`ibid azure push` uploads documents" in output
    assert "ingest" not in output
