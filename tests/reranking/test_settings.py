"""A reranker is off by default, and missing settings are reported at the start."""

from __future__ import annotations

import pytest

from corpus.errors import NotConfigured
from server.bootstrap import reranking
from server.settings.model import load_settings


def test_nothing_is_reranked_without_a_setting() -> None:
    assert reranking(load_settings()) is None


def test_a_service_is_used_as_configured() -> None:
    url = "https://rerank.example.com/v2/rerank"
    settings = load_settings(changed={"RAG_RERANKER": "http", "RAG_RERANKER_URL": url, "RAG_RERANKER_CANDIDATES": "12"})
    found = reranking(settings)
    assert found is not None
    assert (found.reranker.name, found.candidates) == ("rerank.example.com", 12)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"RAG_RERANKER": "http"}, "RAG_RERANKER_URL"),
        ({"RAG_RERANKER": "http", "RAG_RERANKER_URL": "http://elsewhere.example/rerank"}, "RAG_RERANKER_URL"),
        ({"RAG_RERANKER": "fastembed"}, "RAG_RERANKER_MODEL"),
        ({"RAG_RERANKER_CANDIDATES": "1000"}, "RAG_RERANKER_CANDIDATES"),
    ],
)
def test_an_unworkable_setting_is_refused_by_name(given: dict[str, str], named: str) -> None:
    with pytest.raises(NotConfigured, match=named):
        load_settings(changed=given)


@pytest.mark.parametrize("user", ["ann:hush-hush@", ":hush-hush@", "ann@", "@"])
def test_a_user_in_the_address_is_refused_with_the_setting_for_a_key(user: str) -> None:
    url = f"https://{user}rerank.example.com/rerank"
    given = {"RAG_RERANKER": "http", "RAG_RERANKER_URL": url, "RAG_RERANKER_API_KEY": "a-key"}
    with pytest.raises(NotConfigured, match=r"it contains a user.*RAG_RERANKER_API_KEY") as refused:
        load_settings(changed=given)
    assert "hush" not in str(refused.value)
