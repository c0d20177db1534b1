"""The middleware of a server over HTTP: limits, audit, and picture URLs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mcp.server.context import ServerMiddleware
from starlette.types import ASGIApp

from server.audit import Audit, AuditedCalls, audit
from server.caller_limits import CallerTurns, rate_limit
from server.calls.deadlines import limit_of
from server.http.binding import Address
from server.http.concurrency import Concurrency
from server.http.picture_urls import Images, ImageUrls, Keys, Seal, origin_of
from server.http.refusals import AuditedRefusals
from server.identity.verified_caller import StillKnown
from server.serving import signed_addresses
from server.settings.http import HTTP_RATE
from server.settings.model import Settings
from server.tracing import traced_calls
from tools.protocol import CallerOf, LibraryOf


@dataclass(frozen=True, slots=True)
class Edge:
    """The state that the middleware of one server shares."""

    settings: Settings
    library: LibraryOf
    seal: Seal
    audit: Audit

    @classmethod
    def of(cls, settings: Settings, library: LibraryOf, keys: Keys, address: Address) -> Edge:
        """Build it from the settings."""
        origin = origin_of(settings.http_public_url or address.url)
        return cls(settings, library, Seal(keys.derived("images"), origin), audit(settings))

    def middleware(self, caller_of: CallerOf) -> Sequence[ServerMiddleware[Any]]:
        """The MCP middleware, outermost first. The audit comes before the limits, so that it records their refusals."""
        return (
            *traced_calls(self.settings),
            AuditedCalls(self.audit, caller_of),
            StillKnown(caller_of),
            *rate_limit(self.settings, caller_of, HTTP_RATE),
            CallerTurns(caller_of, self.settings.caller_calls, self.settings.caller_waiting),
            ImageUrls(
                self.library,
                caller_of,
                self.seal,
                self.settings.http_image_seconds,
                with_pages=self.settings.shows_pages,
            ),
            *signed_addresses(self.settings, self.library, caller_of),
        )

    def images(self, app: ASGIApp) -> ASGIApp:
        """Wrap the application so that pictures are served at their signed URLs."""
        turns = Concurrency(self.settings.http_max_calls, self.settings.http_max_waiting)
        return Images(app, self.library, self.seal, turns, limit_of(self.settings), self.audit)

    def recorded(self, app: ASGIApp) -> ASGIApp:
        """Wrap the application so that refusals are audited."""
        return AuditedRefusals(app, self.audit)
