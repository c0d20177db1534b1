"""Offer the view to clients that say they support it. For all others the server has none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp.server.apps import client_supports_apps
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

Request = ServerRequestContext[Any, Any]

FOR_VIEWS = frozenset(("rag_show_evidence",))
"""Tools that the view alone calls."""

_LISTS = {"tools/list": "tools", "resources/list": "resources"}
_NOT_KEPT = {"ttlMs": 0, "cacheScope": "private"}
"""A list that was made for a client with views: whoever keeps lists for several clients would hand it to all."""


async def listed_for_views(ctx: Request, call_next: CallNext) -> HandlerResult:
    """Lists without the view, unless the client shows views; one of which that is not known, as one of an older
    revision whose requests stand alone, is taken to show none."""
    result = await call_next(ctx)
    kind = _LISTS.get(ctx.method)
    if kind is None or not isinstance(result, dict):
        return result
    if client_supports_apps(ctx):
        return result | {key: value for key, value in _NOT_KEPT.items() if key in result}
    return result | {kind: [_plain(one) for one in result[kind] if not is_for_views(one)]}


def is_hidden(tool: object, ctx: Request) -> bool:
    """Whether this client is told of no such tool, and is answered as if there were none."""
    return tool in FOR_VIEWS and not client_supports_apps(ctx)


def is_for_views(listed: Mapping[str, Any]) -> bool:
    """Whether a tool or a resource, as a list has it, is of use to the view alone."""
    return listed.get("name") in FOR_VIEWS or str(listed.get("uri", "")).startswith("ui://")


def _plain(listed: Mapping[str, Any]) -> dict[str, Any]:
    meta = {key: value for key, value in listed.get("_meta", {}).items() if key != "ui"}
    rest = {key: value for key, value in listed.items() if key != "_meta"}
    return rest | ({"_meta": meta} if meta else {})
