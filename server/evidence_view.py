"""Declare the evidence view to MCP: an HTML page without network access, and its tools. They are listed only for
clients that support MCP Apps.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mcp.server.apps import Apps, ResourceCsp, client_supports_apps
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

Request = ServerRequestContext[Any, Any]

FOR_VIEWS = frozenset(("rag_show_evidence",))
"""Tools that only the view calls."""

_LISTS = {"tools/list": "tools", "resources/list": "resources"}
_NOT_KEPT = {"ttlMs": 0, "cacheScope": "private"}
"""Cache hints that prevent caching of a list for a client with views: a shared cache would serve that list to all
clients."""


async def listed_for_views(ctx: Request, call_next: CallNext) -> HandlerResult:
    """Remove the view from lists, as MCP middleware, unless the client supports views. Also remove it if that is
    unknown, as in stateless requests of an older protocol revision."""
    result = await call_next(ctx)
    kind = _LISTS.get(ctx.method)
    if kind is None or not isinstance(result, dict):
        return result
    if client_supports_apps(ctx):
        return result | {key: value for key, value in _NOT_KEPT.items() if key in result}
    return result | {kind: [_plain(entry) for entry in result[kind] if not is_for_views(entry)]}


def is_hidden(tool: object, ctx: Request) -> bool:
    """Return whether the tool is hidden from this client."""
    return tool in FOR_VIEWS and not client_supports_apps(ctx)


def is_for_views(listed: Mapping[str, Any]) -> bool:
    """Return whether a listed tool or resource is only for the view."""
    return listed.get("name") in FOR_VIEWS or str(listed.get("uri", "")).startswith("ui://")


def _plain(listed: Mapping[str, Any]) -> dict[str, Any]:
    meta = {key: value for key, value in listed.get("_meta", {}).items() if key != "ui"}
    rest = {key: value for key, value in listed.items() if key != "_meta"}
    return rest | ({"_meta": meta} if meta else {})


URI = "ui://ibid/evidence"
PAGE = Path(__file__).with_name("evidence_view.html")

_SHOWS = frozenset(("rag_synthesize", "rag_verify_answer"))
"""Tools whose results a client shows in the view."""


def evidence_app() -> Apps:
    """Return the MCP Apps extension with the view's page."""
    apps = Apps()
    apps.add_html_resource(
        URI,
        PAGE.read_text(encoding="utf-8"),
        name="evidence",
        title="Evidence",
        description="The claims of an answer, each with the page that it cites.",
        csp=ResourceCsp(connect_domains=[], resource_domains=[]),
        prefers_border=True,
    )
    return apps


def of_tool(name: str) -> dict[str, Any]:
    """Return the `_meta` that marks a tool whose results the view shows, or that only the view calls."""
    if name in FOR_VIEWS:
        return {"ui": {"visibility": ["app"]}}
    return {"ui": {"resourceUri": URI}} if name in _SHOWS else {}
