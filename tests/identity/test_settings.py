"""Settings that would admit too many callers, or nobody, prevent the start with the fix in the message."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from server.settings.identity import ALGORITHMS
from server.settings.model import Settings

ISSUER = {"RAG_AUTH_ISSUER": "https://login.example.org/", "RAG_AUTH_AUDIENCE": "ibid"}


def settings(**variables: str) -> Settings:
    return Settings(**(ISSUER | variables))  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["none", "None", "HS256", "RS256,HS512", "RS256,none", "ES256K", "dir", "rs256"])
def test_a_signature_algorithm_that_others_could_use_cannot_be_set(value: str) -> None:
    with pytest.raises(ValidationError, match="may only contain"):
        settings(RAG_AUTH_ALGORITHMS=value)


def test_every_offered_signature_algorithm_is_asymmetric() -> None:
    assert {name[:2] for name in ALGORITHMS} == {"RS", "PS", "ES", "Ed"}
    assert set(settings().algorithms) <= set(ALGORITHMS)


@pytest.mark.parametrize("name", ["RAG_AUTH_ISSUER", "RAG_AUTH_JWKS_URL"])
@pytest.mark.parametrize(
    "value", ["http://login.example.org", "login.example.org", "https://user:pass@host", "file:///x"]
)
def test_an_address_where_others_could_answer_is_refused(name: str, value: str) -> None:
    with pytest.raises(ValidationError) as refused:
        settings(**{name: value})
    assert "not a usable address" in refused.value.errors()[0]["msg"]


def test_an_issuer_is_stored_unchanged() -> None:
    assert settings().auth_issuer == "https://login.example.org/"
    assert (
        settings(RAG_AUTH_ISSUER=" https://login.example.org/realms/x ").auth_issuer
        == "https://login.example.org/realms/x"
    )


def test_without_an_audience_tokens_for_others_would_be_accepted() -> None:
    with pytest.raises(ValidationError, match="RAG_AUTH_AUDIENCE is not set"):
        Settings(RAG_AUTH_ISSUER="https://login.example.org")  # type: ignore[call-arg]


def test_the_public_address_is_an_audience() -> None:
    from server.identity.identity_parts import rules

    public = {
        "RAG_AUTH_ISSUER": "https://login.example.org",
        "RAG_HTTP_PUBLIC_URL": "https://ibid.example.org/mcp",
    }
    assert rules(Settings(**public)).audiences == ("https://ibid.example.org/mcp",)  # type: ignore[arg-type]
