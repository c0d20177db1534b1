"""Settings of a server over HTTP: an error names the variable and the fix, and repeats no secret."""

from __future__ import annotations

import pytest

from corpus.errors import NotConfigured
from server.settings.model import load_settings

SHORT = "too-short-a-secret"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("RAG_HTTP_ALLOWED_HOSTS", "https://ibid.example.org", "without https://"),
        ("RAG_HTTP_ALLOWED_HOSTS", "ibid.example.org,*", "without *"),
        ("RAG_HTTP_ALLOWED_ORIGINS", "*", "https://app.example.org"),
        ("RAG_HTTP_ALLOWED_ORIGINS", "null", "https://app.example.org"),
        ("RAG_HTTP_ALLOWED_ORIGINS", "https://app.example.org/page", "without a path"),
        ("RAG_HTTP_PUBLIC_URL", "http://ibid.example.org/mcp", "https://HOST/mcp"),
        ("RAG_HTTP_KEYS", SHORT, "token_urlsafe"),
        ("RAG_HTTP_MAX_CALLS", "0", "RAG_HTTP_MAX_CALLS"),
        ("RAG_HTTP_MAX_BODY", "many", "RAG_HTTP_MAX_BODY"),
        ("RAG_HTTP_ALLOWED_HOST", "ibid.example.org", "Did you mean RAG_HTTP_ALLOWED_HOSTS"),
    ],
)
def test_an_invalid_value_is_refused_with_the_fix(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(NotConfigured) as caught:
        load_settings()

    assert name in str(caught.value)
    assert said in str(caught.value)
    assert SHORT not in str(caught.value)


def test_lists_are_separated_by_commas_and_keys_are_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = ("newest-secret-of-32-letters-or-more", "older-secret-of-32-letters-or-longer")
    monkeypatch.setenv("RAG_HTTP_ALLOWED_HOSTS", " ibid.example.org , other.example.org:8443,")
    monkeypatch.setenv("RAG_HTTP_KEYS", ", ".join(secrets))

    settings = load_settings()

    assert settings.http_allowed_hosts == ("ibid.example.org", "other.example.org:8443")
    assert [one.get_secret_value() for one in settings.http_keys] == list(secrets)
    for secret in secrets:
        assert secret not in f"{settings!r} {settings.masked()}"
