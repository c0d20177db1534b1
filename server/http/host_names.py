"""Check Host and Origin headers against the allowed names, as protection against DNS rebinding."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from server.http.binding import Address
    from server.settings.model import Settings

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)\.?(?::([0-9]{1,5}))?", re.ASCII)
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
_DEFAULT_PORTS = {"http": "80", "https": "443"}

Name = tuple[str, str]
"""A lower-case host with its port; the port is "" if absent."""


class Names:
    """The allowed hosts and origins: those in the settings, and loopback. An allowed host without a port matches every
    port."""

    def __init__(self, settings: Settings, address: Address) -> None:
        public = urlsplit(settings.http_public_url or "").netloc
        self._hosts = frozenset(filter(None, map(name, (*settings.http_allowed_hosts, public))))
        self._origins = frozenset(filter(None, map(origin, settings.http_allowed_origins)))
        self._here = address.is_loopback

    def host(self, header: str) -> bool:
        """Return whether a Host header names this server."""
        host = name(header)
        if host is None:
            return False
        return host[0] in _LOOPBACK or host in self._hosts or (host[0], "") in self._hosts

    def origin(self, header: str) -> bool:
        """Return whether pages with this Origin may call the server. Pages from this machine may also call it if no
        other machine can reach it."""
        page = origin(header)
        return page is not None and (page in self._origins or (self._here and page[1] in _LOOPBACK))


def name(text: str) -> Name | None:
    """Parse a host with an optional port. Return None if the text is malformed."""
    match = _HOST.fullmatch(text.strip().lower())
    return (match[1], match[2] or "") if match else None


def origin(text: str) -> tuple[str, str, str] | None:
    """Return the scheme, host and port of an Origin, or None for `null` and malformed values."""
    scheme, separator, rest = text.strip().lower().partition("://")
    host = name(rest)
    if not separator or host is None or scheme not in _DEFAULT_PORTS:
        return None
    return scheme, host[0], host[1] or _DEFAULT_PORTS[scheme]
