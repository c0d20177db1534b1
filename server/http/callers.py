"""Who asks over HTTP: whoever the configured identity says, and otherwise nobody in particular."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from mcp.server.auth.provider import TokenVerifier
from mcp.server.auth.settings import AuthSettings

from corpus.access import ANONYMOUS, Caller


class Identity(Protocol):
    """How callers are known; an async context manager, for what it holds open."""

    @property
    def auth(self) -> AuthSettings: ...

    @property
    def verifier(self) -> TokenVerifier: ...

    def caller(self) -> Caller:
        """Of the request at hand. Raises AccessDenied where it has none."""
        ...


Identities = AbstractAsyncContextManager[Identity | None]


def nobody() -> Caller:
    """Without any authentication nobody is known, whatever the settings say of who asks over stdio."""
    return ANONYMOUS
