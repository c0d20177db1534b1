"""Under which names the server may be asked, and by pages from where: against pages that rebind a name of theirs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from server.http.binding import Address
    from server.settings.model import Settings

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)\.?(?::([0-9]{1,5}))?", re.ASCII)
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
_DEFAULT_PORTS = {"http": "80", "https": "443"}

Name = tuple[str, str]
"""A host in small letters, with its port; the port is empty where none was written."""


class Names:
    """Those of the settings, and loopback. A name without a port holds for every port."""

    def __init__(self, settings: Settings, address: Address) -> None:
        public = urlsplit(settings.http_public_url or "").netloc
        self._hosts = frozenset(named((*settings.http_allowed_hosts, *filter(None, [public.lower()]))))
        self._origins = frozenset(one for text in settings.http_allowed_origins if (one := origin(text)))
        self._here = address.is_loopback

    def host(self, header: str) -> bool:
        """Whether a Host header names this server."""
        found = name(header)
        if found is None:
            return False
        return found[0] in _LOOPBACK or found in self._hosts or (found[0], "") in self._hosts

    def origin(self, header: str) -> bool:
        """Whether pages of that Origin may ask. Those of this machine may where nobody else reaches the server."""
        found = origin(header)
        return found is not None and (found in self._origins or (self._here and found[1] in _LOOPBACK))


def name(text: str) -> Name | None:
    """None for what is no host with or without a port."""
    match = _HOST.fullmatch(text.strip().lower())
    return (match[1], match[2] or "") if match else None


def named(texts: Iterable[str]) -> Iterable[Name]:
    return (one for text in texts if (one := name(text)))


def origin(text: str) -> tuple[str, str, str] | None:
    """Scheme, host and port of an Origin; None for `null` and for whatever else is none."""
    scheme, separator, rest = text.strip().lower().partition("://")
    found = name(rest)
    if not separator or found is None or scheme not in _DEFAULT_PORTS:
        return None
    return scheme, found[0], found[1] or _DEFAULT_PORTS[scheme]
