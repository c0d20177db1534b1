"""Re-check the caller's credentials before answering; they may be revoked while the call runs."""

from __future__ import annotations

from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from corpus.errors import IbidError
from server.calls.failures import refused_before
from server.http.concurrency import WORK
from tools.protocol import CallerOf


class Standing:
    """Whether the caller of the current request was identified when this was created."""

    def __init__(self, caller_of: CallerOf) -> None:
        self._caller_of = caller_of
        self._known = True
        try:
            caller_of()
        except IbidError:  # a call that needs the caller will fail with the same error
            self._known = False

    def check(self) -> None:
        """Raise AccessDenied if the caller was identified and no longer is."""
        if self._known:
            self._caller_of()


class StillKnown:
    """MCP middleware that withholds answers from callers whose credentials were revoked meanwhile."""

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
