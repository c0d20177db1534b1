"""Middleware that refreshes a prompt before a call that needs it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from server.registry.kept import KeptPrompts

NEEDS = {
    ("tools/call", "rag_synthesize"): "synthesis",
    ("prompts/get", "rag_system_prompt"): "rag_system_prompt",
}


class FreshPrompts:
    """Middleware that refreshes the prompts of a call."""

    def __init__(self, kept: KeptPrompts) -> None:
        self._kept = kept

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        params: Mapping[str, Any] = ctx.params or {}
        needed = NEEDS.get((ctx.method, str(params.get("name"))))
        if needed and "inputResponses" not in params:  # the second round of a call must ask as the first did
            await self._kept.refresh(needed)
        return await call_next(ctx)
