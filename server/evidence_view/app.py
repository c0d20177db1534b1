"""Declare the evidence view to MCP: an HTML page without network access, and its tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mcp.server.apps import Apps, ResourceCsp

from server.evidence_view.listing import FOR_VIEWS

URI = "ui://ibid/evidence"
PAGE = Path(__file__).with_name("view.html")

_SHOWS = frozenset(("rag_synthesize", "rag_verify_answer"))
"""The tools whose results a client shows in the view."""


def evidence_app() -> Apps:
    """The MCP Apps extension with the view's page."""
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
    """The `_meta` that marks a tool whose results the view shows, or that only the view calls."""
    if name in FOR_VIEWS:
        return {"ui": {"visibility": ["app"]}}
    return {"ui": {"resourceUri": URI}} if name in _SHOWS else {}
