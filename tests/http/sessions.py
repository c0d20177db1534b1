"""Raw sessions of the older protocol, and a call that ends only when its model does."""

from __future__ import annotations

from typing import Any

from tests.http.raw import ask, post
from tests.http.site import Site

CALL = {"name": "llm_generate", "arguments": {"prompt": "Write."}}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
OLD = {"MCP-Protocol-Version": "2025-11-25"}


def message(method: str, params: Any, number: int | None = 1) -> dict[str, Any]:
    """Return a request, or a notification if it has no number."""
    return {"jsonrpc": "2.0", "method": method, "params": params} | ({} if number is None else {"id": number})


def session(site: Site) -> dict[str, str]:
    """Open a session and return its headers."""
    reply = ask(site.address, post(message("initialize", HELLO)))
    named = OLD | {"Mcp-Session-Id": reply.headers["mcp-session-id"]}
    assert ask(site.address, post(message("notifications/initialized", {}, None), named)).status == 202
    return named
