"""The result of authentication, which the SDK attaches to the request.

Credentials are checked again before the answer is sent, because they may be revoked while the call runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mcp.server.auth.provider import AccessToken
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from pydantic import SkipValidation

from corpus.access import Caller
from corpus.errors import IbidError
from server.calls.failures import refused_before
from server.http.concurrency import WORK
from tools.protocol import CallerOf


@dataclass(frozen=True, slots=True)
class Unknown:
    """The result for a valid token that does not identify the caller. `reason` and `hints` are texts for the caller."""

    reason: str
    hints: tuple[str, ...] = ()


class Admitted(AccessToken):
    """The SDK's access token without the secret itself.

    The SDK binds sessions and questions to `client_id`, issuer and `subject` together.
    """

    who: SkipValidation[Caller | Unknown]
    holds: SkipValidation[Callable[[], bool]]
    """Function that returns whether the credentials are still valid; a call or a stream may outlive them."""


def admitted(
    who: Caller | Unknown, *, client: str, issuer: str, subject: str, scopes: list[str], expires: int | None,
    holds: Callable[[], bool],
) -> Admitted:  # fmt: skip
    """Build an `Admitted`. `expires` is in seconds since 1970 and includes the leeway, because the SDK adds none."""
    facts: dict[str, Any] = {"iss": issuer}
    return Admitted(
        token="", client_id=client, scopes=scopes, expires_at=expires, subject=subject, claims=facts,
        who=who, holds=holds,
    )  # fmt: skip


class Standing:
    """A record of whether the caller of the current request was identified when this object was created."""

    def __init__(self, caller_of: CallerOf) -> None:
        self._caller_of = caller_of
        self._known = True
        try:
            caller_of()
        except IbidError:  # a call that needs the caller will fail with the same error
            self._known = False

    def check(self) -> None:
        """Raise AccessDenied if the caller was identified then and no longer is."""
        if self._known:
            self._caller_of()


class StillKnown:
    """MCP middleware that withholds an answer if the caller's credentials were revoked while the call ran."""

    def __init__(self, caller_of: CallerOf) -> None:
        self._caller_of = caller_of

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        if ctx.method not in WORK:
            return await call_next(ctx)
        standing = Standing(self._caller_of)
        result = await call_next(ctx)
        try:
            standing.check()
        except IbidError as error:
            return refused_before(ctx, error)
        return result
