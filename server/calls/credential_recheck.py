"""Re-check the caller's credentials before answering; they may be revoked while the call runs."""

from __future__ import annotations

from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from corpus.errors import IbidError
from server.calls.failures import refused_before
from server.http.concurrency import WORK
from tools.protocol import CallerOf


class Standing:
    """Of the request at hand, as it was when this was made."""

    def __init__(self, caller_of: CallerOf) -> None:
        self._caller_of = caller_of
        self._known = True
        try:
            caller_of()
        except IbidError:  # what needs to know who asks meets the same refusal
            self._known = False

    def check(self) -> None:
        """Raises AccessDenied for who was known and is no longer."""
        if self._known:
            self._caller_of()


class StillKnown:
    """A middleware of MCP. No answer leaves that was made for somebody who may not ask any more."""

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
