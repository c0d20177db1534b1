"""Parse HOST:PORT and bind the listening socket."""

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
    """A host name or IP address without brackets, and a TCP port."""

    host: str
    port: int

    @property
    def url(self) -> str:
        """Return the URL of the endpoint for clients on this machine."""
        return f"http://{self}{PATH}"

    @property
    def is_loopback(self) -> bool:
        """Return whether only this machine can reach the address."""
        if self.host.lower() == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def address_of(text: str) -> Address:
    """Parse HOST:PORT. Raise InvalidRequest if it is malformed."""
    host, colon, port = text.strip().rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
        known = _is_ipv6(host)
    else:
        known = bool(host) and ":" not in host and not any(map(str.isspace, host))
    if not colon or not known or not (port.isascii() and port.isdigit()) or int(port) > 65535:
        raise InvalidRequest(
            f"{text!r} is not HOST:PORT. Write it as 127.0.0.1:8000, or [::1]:8000; port 0 picks a free one."
        )
    return Address(host, int(port))


def bind(address: Address) -> tuple[socket.socket, Address]:
    """Bind a socket without listening yet. Return it with its address, in which the actual port replaces port 0. Raise
    InvalidRequest with advice if that fails."""
    try:
        infos = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, place = min(infos, key=lambda info: info[0] != socket.AF_INET)
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise InvalidRequest(f"{address}: the host name cannot be resolved ({error.strerror}).") from error
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
    """Start listening. The system queues connections until they are accepted. Raise InvalidRequest with advice if that
    fails."""
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
        errno.EADDRINUSE: "the address is in use. Stop the program that listens there, or use another port.",
        errno.EACCES: "this user may not listen there. Ports below 1024 need privileges; use a higher one.",
        errno.EADDRNOTAVAIL: "this machine has no such address. Use 127.0.0.1 to serve only this machine.",
    }
    return reasons.get(error.errno or 0, f"cannot listen there ({error.strerror}).")
