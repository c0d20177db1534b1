"""What stands between callers and the protocol over HTTP, all of one server: limits, audit, addresses of pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mcp.server.context import ServerMiddleware
from starlette.types import ASGIApp

from server.abuse_settings import HTTP_RATE
from server.audit import Audit
from server.audit_calls import AuditedCalls
from server.deadlines import limit_of
from server.http.audit_refusals import AuditedRefusals
from server.http.binding import Address
from server.http.image_urls import ImageUrls, origin_of
from server.http.image_urls_sealed import Seal
from server.http.image_urls_served import Images
from server.http.keys import Keys
from server.http.turns import Turns
from server.limits.callers import CallerTurns
from server.limits.rate import rate_limit
from server.serving import signed_addresses
from server.settings import Settings
from server.standing import StillKnown
from server.tracing import traced_calls
from tools.promise import CallerOf, LibraryOf


@dataclass(frozen=True, slots=True)
class Edge:
    settings: Settings
    library: LibraryOf
    seal: Seal
    audit: Audit

    @classmethod
    def of(cls, settings: Settings, library: LibraryOf, keys: Keys, address: Address) -> Edge:
        origin = origin_of(settings.http_public_url or address.url)
        return cls(settings, library, Seal(keys.derived("images"), origin), Audit(settings.audit_file))

    def middleware(self, caller_of: CallerOf) -> Sequence[ServerMiddleware[Any]]:
        """Of MCP, the outermost first: refusals of the limits are in the audit too."""
        return (
            *traced_calls(self.settings),
            AuditedCalls(self.audit, caller_of),
            StillKnown(caller_of),
            *rate_limit(self.settings, caller_of, HTTP_RATE),
            CallerTurns(caller_of, self.settings.caller_calls, self.settings.caller_waiting),
            ImageUrls(self.library, caller_of, self.seal, self.settings.http_image_seconds),
            *signed_addresses(self.settings, self.library, caller_of),
        )

    def images(self, app: ASGIApp) -> ASGIApp:
        """The application with the pictures before it."""
        turns = Turns(self.settings.http_max_calls, self.settings.http_max_waiting)
        return Images(app, self.library, self.seal, turns, limit_of(self.settings), self.audit)

    def recorded(self, app: ASGIApp) -> ASGIApp:
        """The application whose refusals are in the audit."""
        return AuditedRefusals(app, self.audit)
