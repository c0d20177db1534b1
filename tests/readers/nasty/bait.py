"""A local address that some files try to load, and a check whether something connected to it."""

from __future__ import annotations

import socket
from functools import cache


@cache
def _listening() -> socket.socket:
    listening = socket.create_server(("127.0.0.1", 0), backlog=50)
    listening.setblocking(False)
    return listening


def address(name: str) -> str:
    """Return the address of a page or picture that must not be requested."""
    return f"http://127.0.0.1:{_listening().getsockname()[1]}/{name}"


def taken() -> bool:
    """Return whether something has connected since the last check."""
    try:
        _listening().accept()[0].close()
    except BlockingIOError:
        return False
    return True


def close() -> None:
    """Close the address."""
    _listening().close()
    _listening.cache_clear()
