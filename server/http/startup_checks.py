"""What is refused at the start: a server that gives to strangers what it should not, or that any web page can reach."""

from __future__ import annotations

from corpus.errors import NotConfigured
from server.http.binding import Address
from server.http.callers import Identity
from server.settings.model import Settings

HOW_TO_KNOW = (
    "Set RAG_AUTH_ISSUER and RAG_AUTH_AUDIENCE for tokens of your identity provider, or RAG_API_KEYS for keys of your "
    "own (`ibid key` makes them)."
)
HOW_TO_NAME = (
    "Set RAG_HTTP_ALLOWED_HOSTS to the names that clients use, such as ibid.example.org, or RAG_HTTP_PUBLIC_URL to the "
    "whole address."
)
HERE_ALONE = "Or listen at 127.0.0.1, for this machine alone."


def refuse_unfiltered(settings: Settings) -> None:
    """Raises NotConfigured."""
    if settings.allow_unfiltered:
        raise NotConfigured(
            "RAG_ALLOW_UNFILTERED is on, and over HTTP whoever reaches the server would read everything. Unset it."
        )


def refuse_exposed(settings: Settings, address: Address, known: Identity | None) -> None:
    """Raises NotConfigured where more than this machine reaches a server that knows no caller or no name."""
    if address.is_loopback:
        return
    missing = []
    if known is None:
        missing.append(HOW_TO_KNOW)
    if not settings.http_allowed_hosts and not settings.http_public_url:
        missing.append(HOW_TO_NAME)
    if missing:
        what = "without knowing who asks" if known is None else "without the names that it is asked by"
        raise NotConfigured(
            f"{address} is reached from other machines, and the server does not listen there {what}.",
            hints=(*missing, HERE_ALONE),
        )
