"""Who asks over HTTP: whoever the configured identity says, and otherwise nobody in particular."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Protocol

from mcp.server.auth.provider import TokenVerifier
from mcp.server.auth.settings import AuthSettings

from corpus.access import ANONYMOUS, Caller
from server.settings.model import Settings


class Identity(Protocol):
    """How callers are known."""

    @property
    def auth(self) -> AuthSettings: ...

    @property
    def verifier(self) -> TokenVerifier: ...

    def caller(self) -> Caller:
        """Of the request at hand. Raises AccessDenied where it has none."""
        ...


def known_callers(settings: Settings, public_url: str) -> AbstractAsyncContextManager[Identity | None]:
    """None where the settings name no way to know them. Raises NotConfigured for one that is not sound."""
    if settings.auth_issuer is None and settings.api_keys is None:
        return nullcontext()
    from server.identity.identity_parts import identity

    return identity(settings, public_url)


def nobody() -> Caller:
    """Without any authentication nobody is known, whatever the settings say of who asks over stdio."""
    return ANONYMOUS
