"""Where the server listens: HOST:PORT as a person writes it, and the socket that stands for it."""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
import sys
from dataclasses import dataclass

from corpus.errors import InvalidRequest

PATH = "/mcp"
BACKLOG = 256


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int

    @property
    def url(self) -> str:
        """The endpoint, as a client on this machine writes it."""
        return f"http://{self}{PATH}"

    @property
    def is_loopback(self) -> bool:
        """Whether nobody but this machine reaches it."""
        if self.host.lower() == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def address_of(text: str) -> Address:
    """Raises InvalidRequest for what is no HOST:PORT."""
    host, colon, port = text.strip().rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
        known = _is_ipv6(host)
    else:
        known = bool(host) and ":" not in host and not any(map(str.isspace, host))
    if not colon or not known or not (port.isascii() and port.isdigit()) or int(port) > 65535:
        raise InvalidRequest(
            f"{text!r} is no HOST:PORT. Write it as 127.0.0.1:8000, or [::1]:8000; port 0 takes a free one."
        )
    return Address(host, int(port))


def bind(address: Address) -> tuple[socket.socket, Address]:
    """A socket that is not reached yet, and its place: port 0 has become a real one. Raises InvalidRequest with the
    cure."""
    try:
        found = socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, kind, protocol, _, place = min(found, key=lambda one: one[0] != socket.AF_INET)
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise InvalidRequest(f"{address}: this machine knows no such host ({error.strerror}).") from error
    try:
        if os.name == "posix" and sys.platform != "cygwin":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind(place)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        raise InvalidRequest(f"{address}: {_reason(error)}") from error
    return listener, Address(address.host, listener.getsockname()[1])


def listen(listener: socket.socket, bound: Address) -> None:
    """From here on who connects is kept until somebody answers. Raises InvalidRequest with the cure."""
    try:
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise InvalidRequest(f"{bound}: {_reason(error)}") from error


def _is_ipv6(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).version == 6
    except ValueError:
        return False


def _reason(error: OSError) -> str:
    reasons = {
        errno.EADDRINUSE: "the address is in use. End what listens there, or take another port.",
        errno.EACCES: "this user may not listen there. Ports below 1024 need rights; take a higher one.",
        errno.EADDRNOTAVAIL: "this machine has no such address. 127.0.0.1 is for this machine alone.",
    }
    return reasons.get(error.errno or 0, f"nothing can listen there ({error.strerror}).")
