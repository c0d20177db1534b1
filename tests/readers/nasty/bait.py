"""An address on this machine that some files ask to be fetched, and a look at whether anybody did."""

from __future__ import annotations

import socket
from functools import cache


@cache
def _listening() -> socket.socket:
    listening = socket.create_server(("127.0.0.1", 0), backlog=50)
    listening.setblocking(False)
    return listening


def address(name: str) -> str:
    """Of a page or picture that nobody may ask for."""
    return f"http://127.0.0.1:{_listening().getsockname()[1]}/{name}"


def taken() -> bool:
    """Whether somebody has connected since the last look."""
    try:
        _listening().accept()[0].close()
    except BlockingIOError:
        return False
    return True


def close() -> None:
    """Lets go of the address."""
    _listening().close()
    _listening.cache_clear()
