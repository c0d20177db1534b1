"""Identify callers over HTTP by the configured identity; without one, callers are anonymous."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Protocol

from mcp.server.auth.provider import TokenVerifier
from mcp.server.auth.settings import AuthSettings

from corpus.access import ANONYMOUS, Caller
from server.settings.model import Settings


class Identity(Protocol):
    """How callers are authenticated."""

    @property
    def auth(self) -> AuthSettings:
        """Settings for the SDK."""
        ...

    @property
    def verifier(self) -> TokenVerifier:
        """Verifies bearer tokens."""
        ...

    def caller(self) -> Caller:
        """The caller of the current request. Raises AccessDenied if it has none."""
        ...


def known_callers(settings: Settings, public_url: str) -> AbstractAsyncContextManager[Identity | None]:
    """The identity of the settings, or None if they configure none. Raises NotConfigured if it is invalid."""
    if settings.auth_issuer is None and settings.api_keys is None:
        return nullcontext()
    from server.identity.identity_parts import identity

    return identity(settings, public_url)


def nobody() -> Caller:
    """The anonymous caller. Settings of the caller over stdio do not apply over HTTP."""
    return ANONYMOUS
