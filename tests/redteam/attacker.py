"""An attacker with a valid token who sends what no client library would."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mcp.shared.inbound import encode_header_value

from tests.answers import failure_in
from tests.http.raw import Reply, ask, modern, post
from tests.http.sessions import HELLO, OLD, message
from tests.redteam.fort import CANARIES, FORBIDDEN, Fort

NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


@dataclass
class Attacker:
    fort: Fort
    era: str = "auto"
    user: str = "bob"
    _session: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.token = self.fort.token(self.user)

    @property
    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def asks(self, method: str, params: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Reply:
        """Send a request and return the reply, which must contain nothing that the attacker did not send."""
        if self.era == "legacy":
            sent = post(message(method, dict(params), 7), self.session() | self.bearer | dict(headers or {}))
        else:
            sent = modern(method, params, self.bearer | _name(method, params) | dict(headers or {}))
        return self.sends(sent)

    def calls(self, tool: str, headers: Mapping[str, str] | None = None, /, **arguments: Any) -> Reply:
        return self.asks("tools/call", {"name": tool, "arguments": arguments}, headers)

    def sends(self, sent: bytes) -> Reply:
        reply = ask(self.fort.address, sent)
        self.fort.said.append(reply.body.decode("utf-8", "replace"))
        assert leaked(sent, reply) == []
        return reply

    def session(self) -> dict[str, str]:
        if not self._session:
            reply = ask(self.fort.address, post(message("initialize", HELLO), self.bearer))
            self._session = OLD | {"Mcp-Session-Id": reply.headers["mcp-session-id"]}
            done = message("notifications/initialized", {}, None)
            assert ask(self.fort.address, post(done, self._session | self.bearer)).status == 202
        return self._session


def leaked(sent: bytes, reply: Reply) -> list[str]:
    """Return the parts of the hidden document in a reply to a caller who did not name it."""
    whole, asked = (reply.body + repr(reply.headers).encode()).lower(), sent.lower()
    return [one for one in (*CANARIES, FORBIDDEN) if one.encode() in whole and one.encode() not in asked]


def told(reply: Reply) -> dict[str, Any]:
    """Return the message of a reply, which is JSON or an event."""
    body = reply.body
    found: dict[str, Any] = json.loads(body[body.index(b"{") : body.rindex(b"}") + 1])
    return found


def answer(reply: Reply) -> dict[str, Any]:
    """Return the structured answer of a call, or the failure and its text."""
    result = told(reply)["result"]
    shown: dict[str, Any] = result.get("structuredContent") or failure_in(result)
    return shown


def _name(method: str, params: Mapping[str, Any]) -> dict[str, str]:
    if method not in NAMED:
        return {}
    return {"Mcp-Name": encode_header_value(str(params[NAMED[method]]).encode("utf-8", "replace").decode())}
