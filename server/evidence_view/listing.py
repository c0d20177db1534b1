"""List the evidence view only to clients that support MCP Apps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp.server.apps import client_supports_apps
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

Request = ServerRequestContext[Any, Any]

FOR_VIEWS = frozenset(("rag_show_evidence",))
"""Tools that only the view calls."""

_LISTS = {"tools/list": "tools", "resources/list": "resources"}
_NOT_KEPT = {"ttlMs": 0, "cacheScope": "private"}
"""Cache hints of a list for a client with views: a shared cache would serve it to all clients."""


async def listed_for_views(ctx: Request, call_next: CallNext) -> HandlerResult:
    """MCP middleware that removes the view from lists, unless the client supports views. Unknown support, as in
    stateless requests of an older revision, counts as none."""
    result = await call_next(ctx)
    kind = _LISTS.get(ctx.method)
    if kind is None or not isinstance(result, dict):
        return result
    if client_supports_apps(ctx):
        return result | {key: value for key, value in _NOT_KEPT.items() if key in result}
    return result | {kind: [_plain(entry) for entry in result[kind] if not is_for_views(entry)]}


def is_hidden(tool: object, ctx: Request) -> bool:
    """Whether the tool does not exist for this client."""
    return tool in FOR_VIEWS and not client_supports_apps(ctx)


def is_for_views(listed: Mapping[str, Any]) -> bool:
    """Whether a listed tool or resource is only for the view."""
    return listed.get("name") in FOR_VIEWS or str(listed.get("uri", "")).startswith("ui://")


def _plain(listed: Mapping[str, Any]) -> dict[str, Any]:
    meta = {key: value for key, value in listed.get("_meta", {}).items() if key != "ui"}
    rest = {key: value for key, value in listed.items() if key != "_meta"}
    return rest | ({"_meta": meta} if meta else {})
